import { defineScript, integer, type RedisConnection, tuple } from '@switchyard/redis';

const loadScript = defineScript({
  file: 'load.lua',
  from: import.meta.url,
  keys: ['root'],
  args: [],
  reply: tuple(integer, integer, integer, integer, integer, integer),
});

/** How often a queue is read while messages arrive for it. */
const EVERY_MS = 100;
/** Jobs that may wait in a queue whose speed is not known. */
const FIRST = 16;
const LONGEST_RETRY_S = 60;
/** Time constant with which the highest number of concurrent jobs decays. */
const REMEMBERED_MS = 60_000;

export interface LoadLimits {
  /** How long a message may wait for its turn, in ms; Infinity: no limit. */
  readonly maxWaitMs: number;
  /** Jobs that may wait in a queue whatever its speed; 0: any number. */
  readonly maxWaiting: number;
}

/** The state of a queue at one moment. */
export interface QueueSample {
  readonly waiting: number;
  readonly active: number;
  /** Jobs ever added. */
  readonly added: number;
  /** Jobs ever begun. */
  readonly began: number;
  readonly ageMs: number;
  readonly atMs: number;
}

/**
 * Computes how many messages may wait for an agent so that none waits longer than `maxWaitMs`: as many as its workers
 * have lately begun in that time. The script that accepts a message checks the number, so that a burst between two
 * reads of the queue cannot exceed it.
 */
export class QueueLoads {
  readonly #redis: RedisConnection;
  readonly #limits: LoadLimits;
  readonly #loads = new Map<string, QueueLoad>();

  constructor(redis: RedisConnection, limits: LoadLimits) {
    this.#redis = redis;
    this.#limits = limits;
  }

  /** Jobs that may wait in this queue; 0: any number. @param root of its keys */
  waitingLimit(root: string): number {
    const { maxWaitMs, maxWaiting } = this.#limits;
    if (maxWaitMs === Number.POSITIVE_INFINITY) return maxWaiting;
    const limit = this.#load(root).waitingLimit;
    return maxWaiting === 0 ? limit : Math.min(limit, maxWaiting);
  }

  /** Seconds in which the jobs that wait now will have begun, at the rate that was last measured; 1 if none was. */
  async retryAfterSeconds(root: string): Promise<number> {
    const load = this.#load(root);
    await load.isKnown;
    return load.retryAfterSeconds;
  }

  async sample(root: string): Promise<QueueSample> {
    const reply = await loadScript.run(this.#redis, { keys: { root }, args: {} });
    const [waiting, active, added, removed, ageMs, atMs] = reply;
    return { waiting, active, added, began: added - removed - waiting, ageMs, atMs };
  }

  #load(root: string): QueueLoad {
    const known = this.#loads.get(root) ?? new QueueLoad(this.#limits.maxWaitMs);
    this.#loads.set(root, known);
    if (known.isDue) known.isKnown = known.update(() => this.sample(root));
    return known;
  }
}

/** The load of one queue, as measured by repeated reads. */
class QueueLoad {
  /** Resolves when the last read of the queue has ended. */
  isKnown: Promise<void> = Promise.resolve();
  readonly #maxWaitMs: number;
  readonly #averagedOverMs: number;
  #last: QueueSample | undefined;
  /** Jobs begun per second; undefined: the queue was read at most once. */
  #rate: number | undefined;
  /** Most jobs that lately ran at once. */
  #maxActive = 0;
  #waitingLimit = FIRST;
  #sampledAt = Number.NEGATIVE_INFINITY;

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
    this.#averagedOverMs = maxWaitMs === Number.POSITIVE_INFINITY ? 1_000 : Math.max(1_000, maxWaitMs);
  }

  get isDue(): boolean {
    return performance.now() - this.#sampledAt >= EVERY_MS;
  }

  get waitingLimit(): number {
    return this.#waitingLimit;
  }

  get retryAfterSeconds(): number {
    if (this.#rate === undefined) return 1;
    return Math.min(LONGEST_RETRY_S, Math.max(1, Math.ceil((this.#last?.waiting ?? 0) / this.#rate)));
  }

  /** Keeps the last result while Redis does not answer. */
  async update(sample: () => Promise<QueueSample>): Promise<void> {
    this.#sampledAt = performance.now();
    try {
      this.#learn(await sample());
    } catch {
      // The message itself fails in the same outage, and its caller gets the error.
    }
  }

  #learn(sample: QueueSample): void {
    const before = this.#last;
    this.#last = sample;
    const remembered = before ? Math.exp((before.atMs - sample.atMs) / REMEMBERED_MS) : 0;
    this.#maxActive = Math.max(sample.active, this.#maxActive * Math.min(1, remembered));
    const wasBusy = before !== undefined && before.waiting > 0 && sample.waiting > 0;
    if (before && sample.atMs > before.atMs) this.#average(sample.began - before.began, sample.atMs - before.atMs);
    this.#waitingLimit = wasBusy ? this.#limitWhenBusy(sample) : this.#limitWhenIdle();
  }

  #average(began: number, ms: number): void {
    const weight = 1 - Math.exp(-ms / this.#averagedOverMs);
    const rate = this.#rate ?? 0;
    this.#rate = rate + weight * ((Math.max(0, began) * 1_000) / ms - rate);
  }

  /** A job that waits twice as long as allowed shows that the workers have slowed down: no other may wait behind it. */
  #limitWhenBusy({ ageMs }: QueueSample): number {
    return ageMs > 2 * this.#maxWaitMs ? 1 : Math.max(1, this.#begunInTime);
  }

  /** An empty queue has an unknown number of spare workers: two messages may wait per job that was seen running. */
  #limitWhenIdle(): number {
    return Math.max(FIRST, Math.floor(2 * this.#maxActive), this.#begunInTime);
  }

  /** Jobs that begin within `maxWaitMs`. */
  get #begunInTime(): number {
    return Math.floor(((this.#rate ?? 0) * this.#maxWaitMs) / 1_000);
  }
}
