import { quantile } from '../../bench/measure/statistics.ts';

/** How things stood at the end of a second. */
export interface State {
  /** Jobs that no worker has taken yet. */
  readonly waiting: number;
  /** Jobs that a worker has taken. */
  readonly active: number;
  readonly workers: number;
  /** Jobs that they can run at the same time. */
  readonly places: number;
  /** Share of the second in which the busiest shard's master was busy. */
  readonly busiestShard: number;
}

/** One second of a simulation. */
export interface Second extends State {
  readonly at: number;
  readonly sent: number;
  /** Seconds until the answer, of the messages sent in it; undefined: none was answered in time. */
  readonly acceptP50: number | undefined;
  readonly acceptP99: number | undefined;
}

/** What was seen, second by second. */
export class History {
  /** Answered 503: Redis took too long. */
  refused = 0;
  completed = 0;
  readonly #states: State[] = [];
  readonly #sent: number[] = [];
  readonly #accepts: number[][] = [];

  send(at: number): void {
    this.#sent[Math.floor(at)] = (this.#sent[Math.floor(at)] ?? 0) + 1;
  }

  /** @param at when the message was sent. @param took until its answer */
  accept(at: number, took: number): void {
    const second = Math.floor(at);
    const accepts = this.#accepts[second] ?? [];
    this.#accepts[second] = accepts;
    accepts.push(took);
  }

  endSecond(state: State): void {
    this.#states.push(state);
  }

  get seconds(): Second[] {
    return this.#states.map((state, at) => {
      const accepts = this.#accepts[at] ?? [];
      const quantileOf = (share: number): number | undefined => (accepts.length ? quantile(accepts, share) : undefined);
      return { ...state, at, sent: this.#sent[at] ?? 0, acceptP50: quantileOf(0.5), acceptP99: quantileOf(0.99) };
    });
  }

  /** Seconds until their answer, of all messages that got one in time. */
  get accepts(): number[] {
    return this.#accepts.flat();
  }
}
