import type { Taken, TakeRequest } from '../../src/queue/agent-queue.ts';

type Happens = () => void;

/** What is on its way to a queue and back: everything arrives at any time, in any order. */
export class SimulatedNetwork {
  readonly #arriving: Happens[] = [];

  get isSilent(): boolean {
    return this.#arriving.length === 0;
  }

  /** One of what is on its way arrives. */
  arrive(pick: number): void {
    this.#arriving.splice(pick % this.#arriving.length, 1)[0]?.();
  }

  send(arrives: Happens): void {
    this.#arriving.push(arrives);
  }

  /** @param execute what the command does. If its reply is lost, the client sends it again. */
  ask<T>(execute: () => T, isReplyLost = false): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    const sendAgain = (): void =>
      this.send(() => {
        const reply = execute();
        this.send(() => resolve(reply));
      });
    if (isReplyLost) this.send(() => void [execute(), sendAgain()]);
    else sendAgain();
    return promise;
  }
}

/** A queue as a fetch loop sees it, with a marker as BullMQ's: an add leaves one, a wait takes it, or sleeps. */
export class SimulatedQueue {
  readonly #network: SimulatedNetwork;
  readonly #waiting: string[] = [];
  readonly #locks = new Map<string, string>();
  /** Of each taker: what it took last, by number. */
  readonly #took = new Map<string, { readonly number: number; readonly ids: readonly string[] }>();
  readonly #sleepers: ((isWoken: boolean) => void)[] = [];
  #hasMarker = false;
  #takes = 0;

  constructor(network: SimulatedNetwork) {
    this.#network = network;
  }

  get waiting(): readonly string[] {
    return this.#waiting;
  }

  add(id: string): void {
    this.#waiting.push(id);
    this.#mark();
  }

  finish(id: string): void {
    this.#locks.delete(id);
  }

  /** The reply to each fourth command is lost. */
  take(request: TakeRequest): Promise<Taken> {
    return this.#network.ask(() => this.#take(request), ++this.#takes % 4 === 0);
  }

  wait(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answer = (isWoken: boolean): void => this.#network.send(() => resolve(isWoken));
    this.#network.send(() => {
      this.#sleepers.push(answer);
      if (this.#hasMarker) this.#mark();
    });
    return promise;
  }

  async wakeAnother(): Promise<void> {
    await this.#network.ask(() => this.#waiting.length > 0 && this.#mark());
  }

  /** The wait that sleeps longest ends by its bound. */
  endWait(): void {
    this.#sleepers.shift()?.(false);
  }

  #mark(): void {
    const sleeper = this.#sleepers.shift();
    this.#hasMarker = !sleeper;
    sleeper?.(true);
  }

  #take({ taker, number, count }: TakeRequest): Taken {
    const before = this.#took.get(taker);
    const again = before?.number === number ? before.ids.filter((id) => this.#locks.has(id)) : [];
    const ids = again.length > 0 ? again : this.#waiting.splice(0, count);
    if (ids.length > 0) this.#took.set(taker, { number, ids });
    for (const id of ids) this.#locks.set(id, taker);
    if (this.#waiting.length > 0) this.#mark();
    const jobs = ids.map((id, n) => ({
      id,
      token: `${taker}:${number + n}`,
      started: 1,
      isAwaited: false,
      waitedMs: 0,
    }));
    return { jobs, waiting: this.#waiting.length, hasSuspects: false, dueInMs: undefined };
  }
}
