import type { JobKinds } from './agent-queue.ts';

/**
 * Acquired slots: as many jobs of these kinds may be taken. Free each when its job has ended, or if there was none.
 */
export interface Grant {
  readonly count: number;
  readonly kinds: Exclude<JobKinds, 'suspect'>;
}

/** How long a suspect, and beside it a turn that has waited, waits until it is alone: then it runs beside the others. */
export const ALONE_WITHIN_MS = 30_000;

/** A run whose token says that it has its process to itself. */
export interface LoneRun {
  /** As in `Slots.yieldSlot`. */
  readonly job: object;
  /** Says that others run beside it. Never rejects. */
  readonly share: () => Promise<void>;
}

/** The turns of a process, over all of its queues, which count them here. */
export class ProcessLoad {
  /** Turns that run, or wait for others. */
  held = 0;
  /** Turns that wait for others. */
  yielded = 0;
  readonly #lone = new Set<LoneRun>();

  /** Turns that run and do not wait for others. */
  get active(): number {
    return this.held - this.yielded;
  }

  /** Call it when the agent of a run begins, or goes on, and its slot counts: the lone runs are not alone then. */
  async goesOn(job: object): Promise<void> {
    if (this.#lone.size > 0) await this.share(this.active <= 1 ? job : undefined);
  }

  /** Runs what its token calls alone. It holds a slot. */
  async runAlone(lone: LoneRun, run: () => Promise<void>): Promise<void> {
    this.#lone.add(lone);
    try {
      await this.goesOn(lone.job);
      await run();
    } finally {
      this.#lone.delete(lone);
    }
  }

  /** Says of all lone runs that others run beside them. @param except this one stays alone */
  async share(except?: object): Promise<void> {
    const shared = [...this.#lone].filter(({ job }) => job !== except);
    for (const run of shared) this.#lone.delete(run);
    await Promise.all(shared.map((run) => run.share()));
  }
}

/**
 * Bounds the jobs of one queue that this process runs at a time, over all shards; waiting shards get slots in turn. A
 * turn that waits for another one yields its slot, but only to awaited turns: other turns could come to wait as well,
 * until no slot is left for the turns that they wait for.
 */
export class Slots {
  readonly #count: number;
  readonly #process: ProcessLoad;
  #held = 0;
  /** Turns that wait for others, and for how many. */
  readonly #waits = new Map<object, number>();
  #isOpen = true;
  #isEnded = false;
  #isIsolated = false;
  #requests: { readonly limit: number; readonly granted: PromiseWithResolvers<Grant | undefined> }[] = [];
  #isGranting = false;
  #untilFree: PromiseWithResolvers<void> | undefined;
  #changed: PromiseWithResolvers<void> | undefined;
  #onChange: () => void = () => undefined;

  constructor(count: number, process: ProcessLoad) {
    this.#count = count;
    this.#process = process;
  }

  /** Running turns that do not wait for others. */
  get active(): number {
    return this.#held - this.yielded;
  }

  /** Running turns that wait for others. */
  get yielded(): number {
    return this.#waits.size;
  }

  /** Whether `acquire` would resolve at once. */
  get isFree(): boolean {
    return this.#requests.length === 0 && this.#next.count > 0;
  }

  /** Resolves when a slot is free, and after `end`. */
  async untilFree(): Promise<void> {
    if (this.#isEnded || this.isFree) return;
    this.#untilFree ??= Promise.withResolvers();
    await this.#untilFree.promise;
  }

  /** @returns 1 to `limit` slots; undefined after `end` */
  async acquire(limit: number): Promise<Grant | undefined> {
    if (this.#isEnded) return undefined;
    if (this.isFree) return this.#grant(limit);
    const granted = Promise.withResolvers<Grant | undefined>();
    this.#requests.push({ limit, granted });
    this.#update();
    return granted.promise;
  }

  /** Takes a slot even if none is free: for a suspect, which waits until it is alone. */
  take(): void {
    this.#addHeld(1);
  }

  free(count = 1): void {
    this.#addHeld(-count);
    this.#update();
  }

  /** The turn of a slot has ended, also if it still waits. */
  leave(turn: object): void {
    this.#setWaits(turn, 0);
    this.free();
  }

  /**
   * A turn may wait for several others at once, and yields one slot.
   * @param wait undefined: it found nothing, so the turn is suspended or ends, and need not be alone for that
   */
  async yieldSlot<T>(turn: object, wait: () => Promise<T>): Promise<T> {
    this.#setWaits(turn, this.#waitsOf(turn) + 1);
    this.#update();
    let goesOn = true;
    try {
      const found = await wait();
      goesOn = found !== undefined;
      return found;
    } finally {
      await this.#goOn(turn, goesOn);
    }
  }

  /** Beside a suspect, turns that have waited go on one at a time, too: nothing comes between the look and the count. */
  async #goOn(turn: object, mustBeAlone: boolean): Promise<void> {
    let isLate = !mustBeAlone;
    const late = setTimeout(() => {
      isLate = true;
      this.review();
    }, ALONE_WITHIN_MS);
    while (this.#isIsolated && this.#process.active > 0 && this.#waits.has(turn) && !isLate) {
      this.#changed ??= Promise.withResolvers();
      await this.#changed.promise;
    }
    clearTimeout(late);
    const waits = this.#waitsOf(turn);
    this.#setWaits(turn, waits - 1);
    if (mustBeAlone && waits > 0) await this.#process.goesOn(turn);
  }

  /** No slot can be acquired until `open`. */
  close(): void {
    this.#isOpen = false;
  }

  open(): void {
    this.#isOpen = true;
    this.#update();
  }

  /** No slot can be acquired any more. */
  end(): void {
    this.close();
    this.#isEnded = true;
    for (const { granted } of this.#requests.splice(0)) granted.resolve(undefined);
    this.#untilFree?.resolve();
  }

  /** @param isIsolated a suspect has this process: an awaited job may be taken only while no turn of the process runs */
  isolate(isIsolated: boolean): void {
    this.#isIsolated = isIsolated;
    this.review();
  }

  /** Calls `changed` whenever a turn ends or yields its slot. The slots of all queues are then reviewed. */
  onChange(changed: () => void): void {
    this.#onChange = changed;
  }

  get #next(): Grant {
    if (this.#isIsolated) {
      const { active, yielded } = this.#process;
      return { count: this.#isOpen && active === 0 && yielded > 0 ? 1 : 0, kinds: 'all-awaited' };
    }
    const ordinary = this.#count - this.#held;
    if (ordinary > 0) return { count: this.#isOpen ? ordinary : 0, kinds: 'any' };
    const isAllowed = this.#isOpen && this.yielded > 0;
    const count = isAllowed ? Math.max(0, this.#count - this.active) : 0;
    return { count, kinds: 'awaited' };
  }

  #grant(limit: number): Grant {
    const { count, kinds } = this.#next;
    const granted = Math.min(count, limit);
    this.#addHeld(granted);
    return { count: granted, kinds };
  }

  #addHeld(count: number): void {
    this.#held += count;
    this.#process.held += count;
  }

  /** For how many others a turn waits. */
  #waitsOf(turn: object): number {
    return this.#waits.get(turn) ?? 0;
  }

  #setWaits(turn: object, count: number): void {
    const before = this.#waits.size;
    if (count > 0) this.#waits.set(turn, count);
    else this.#waits.delete(turn);
    this.#process.yielded += this.#waits.size - before;
  }

  #update(): void {
    this.#onChange();
    this.review();
  }

  /** Grants free slots: those that become free together are acquired together. */
  review(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
    if (this.isFree) {
      this.#untilFree?.resolve();
      this.#untilFree = undefined;
    }
    if (this.#isGranting || this.#requests.length === 0) return;
    this.#isGranting = true;
    setImmediate(() => {
      this.#isGranting = false;
      while (this.#next.count > 0) {
        const share = Math.max(1, Math.floor(this.#next.count / this.#requests.length));
        const next = this.#requests.shift();
        if (!next) return;
        next.granted.resolve(this.#grant(Math.min(share, next.limit)));
      }
    });
  }
}
