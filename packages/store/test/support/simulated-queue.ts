import type { Taken, TakeRequest } from '../../src/queue/agent-queue.ts';

/** Commands and replies in flight: the test chooses which of them arrives next. */
export class SimulatedNetwork {
  readonly #inFlight: (() => void)[] = [];

  get isSilent(): boolean {
    return this.#inFlight.length === 0;
  }

  /** Lets one of the messages arrive. */
  arrive(pick: number): void {
    this.#inFlight.splice(pick % this.#inFlight.length, 1)[0]?.();
  }

  send(onArrival: () => void): void {
    this.#inFlight.push(onArrival);
  }

  /** Sends a command, and resolves with its reply. If the reply is lost, the client sends the command again. */
  request<T>(execute: () => T, isReplyLost = false): Promise<T> {
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

export interface SimulatedJob {
  readonly id: string;
  readonly hold: () => Disposable;
}

/** A queue for a fetch loop, with a marker like BullMQ's: `add` sets it, `wait` consumes it, or sleeps. */
export class SimulatedQueue {
  readonly #network: SimulatedNetwork;
  readonly #waiting: string[] = [];
  readonly #locks = new Map<string, string>();
  /** The last take of each taker. */
  readonly #lastTakes = new Map<string, { readonly number: number; readonly ids: readonly string[] }>();
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

  /** The reply to every fourth command is lost. */
  take(request: TakeRequest, hold: SimulatedJob['hold']): Promise<Taken<SimulatedJob>> {
    return this.#network.request(() => this.#take(request, hold), ++this.#takes % 4 === 0);
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
    await this.#network.request(() => this.#waiting.length > 0 && this.#mark());
  }

  /** The longest wait ends by its time limit. */
  endWait(): void {
    this.#sleepers.shift()?.(false);
  }

  #mark(): void {
    const sleeper = this.#sleepers.shift();
    this.#hasMarker = !sleeper;
    sleeper?.(true);
  }

  #take({ taker, number, count }: TakeRequest, hold: SimulatedJob['hold']): Taken<SimulatedJob> {
    const before = this.#lastTakes.get(taker);
    const again = before?.number === number ? before.ids.filter((id) => this.#locks.has(id)) : [];
    const ids = again.length > 0 ? again : this.#waiting.splice(0, count);
    if (ids.length > 0) this.#lastTakes.set(taker, { number, ids });
    for (const id of ids) this.#locks.set(id, taker);
    if (this.#waiting.length > 0) this.#mark();
    return {
      jobs: ids.map((id) => ({ id, hold })),
      waiting: this.#waiting.length,
      hasSuspects: false,
      dueInMs: undefined,
    };
  }
}
