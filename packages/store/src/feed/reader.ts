import type { FeedEvent } from './feed-item.ts';

/**
 * One reader's place in a feed: the highest seq it has heard of, and a bounded cache of the newest events. What it has
 * not yet seen lies in the stream, so a full buffer, a lost message and a slow reader have one cure: reading on from there.
 */
export class Reader {
  /** The last seq delivered. */
  last = 0;
  /** There is less than was delivered: a fail-over lost writes. */
  lost = false;
  #heard = 0;
  #buffer: FeedEvent[] = [];
  #onNews: (none?: undefined) => void = () => undefined;
  readonly #bufferSize: number;

  constructor(bufferSize: number) {
    this.#bufferSize = bufferSize;
  }

  get isBehind(): boolean {
    return this.lost || this.#heard > this.last;
  }

  passed(seq: number): void {
    this.last = seq;
    this.#heard = Math.max(this.#heard, seq);
  }

  /** What was heard so far no longer counts: a fresh task follows. */
  restart(): void {
    this.lost = false;
    this.#heard = 0;
    this.#buffer = [];
  }

  /** What does not fit is read from the stream when the reader gets there. */
  push(event: FeedEvent): void {
    if (this.#buffer.length < this.#bufferSize) this.#buffer.push(event);
    this.hear(event.seq, 0);
  }

  /** @param delivered the last seq delivered when `seq` was asked for: less than that was lost */
  hear(seq: number, delivered: number): void {
    this.lost ||= seq < delivered;
    this.#heard = Math.max(this.#heard, seq);
    this.wake();
  }

  /** News that are none: whoever waits for some looks again. */
  wake(): void {
    this.#onNews();
  }

  /** The buffered events that follow the last one without a hole, if there are any. */
  take(): FeedEvent[] | undefined {
    if (this.lost) return undefined;
    const fresh = this.#buffer.findIndex(({ seq }) => seq > this.last);
    this.#buffer.splice(0, fresh < 0 ? this.#buffer.length : fresh);
    if (this.#buffer[0]?.seq !== this.last + 1) return undefined;
    const hole = this.#buffer.findIndex(({ seq }, i) => seq !== this.last + 1 + i);
    return this.#buffer.splice(0, hole < 0 ? this.#buffer.length : hole);
  }

  /** Resolves when something was heard, or it was woken. */
  news(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#onNews = resolve;
    });
  }
}
