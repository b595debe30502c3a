import type { ByteBudget } from '../tasks/read/byte-budget.ts';
import type { EventId, FeedEvent, FeedItem } from './feed-item.ts';

export interface BufferLimits {
  readonly events: number;
  readonly bytes: number;
  readonly budget: ByteBudget;
}

/**
 * One reader's position in a feed, and a bounded cache of the newest events. The stream holds all events, so a full
 * buffer, a lost message and a slow reader have one remedy: reading on from the stream.
 */
export class EventBuffer {
  readonly #limits: BufferLimits;
  /** The last event delivered. */
  #last: EventId = { seq: 0 };
  /** Redis no longer has an event that was delivered: a fail-over lost writes. */
  #isForked = false;
  #error: unknown;
  /** The highest seq known to be in Redis. */
  #newest = 0;
  #events: FeedEvent[] = [];
  #bytes = 0;
  #onChange: (nothing?: undefined) => void = () => undefined;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  get last(): EventId {
    return this.#last;
  }

  get isForked(): boolean {
    return this.#isForked;
  }

  /** Events that are known to be in Redis and were not delivered. */
  get behind(): number {
    return Math.max(0, this.#newest - this.#last.seq);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isBehind(): boolean {
    return this.#isForked || this.#newest > this.#last.seq;
  }

  delivered(event: EventId): void {
    this.#last = event;
    this.#newest = Math.max(this.#newest, event.seq);
  }

  /** Call it before a snapshot is read: events received so far no longer count. */
  restart(): void {
    this.#last = { ...this.#last }; // another object: `compare` skips what was read before
    this.#isForked = false;
    this.#newest = 0;
    this.clear();
  }

  /** An event that does not fit is read from the stream when the reader gets there. */
  push(event: FeedEvent): void {
    const bytes = bytesOf(event);
    const isRoom = this.#events.length < this.#limits.events && this.#bytes + bytes <= this.#limits.bytes;
    if (isRoom && this.#limits.budget.hasRoomFor(bytes)) {
      this.#limits.budget.take(bytes);
      this.#events.push(event);
      this.#bytes += bytes;
    }
    this.#newest = Math.max(this.#newest, event.seq);
    this.wake();
  }

  /**
   * Compares with the newest event in Redis.
   * @param before `last` before Redis was read: `newest` cannot be older. If more was delivered since, or a snapshot
   * is being read, the comparison is skipped
   */
  compare(newest: EventId, before: EventId): void {
    if (before !== this.#last) return;
    this.#isForked ||= newest.seq < before.seq || this.#isReplacedBy(newest);
    this.#newest = Math.max(this.#newest, newest.seq);
    this.wake();
  }

  /** The reader gets this error after the buffered events. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.wake();
  }

  /** Resolves `change`. */
  wake(): void {
    this.#onChange();
  }

  /** The buffered events that follow the last one without a gap, if there are any. @throws the error of `fail` */
  take(): FeedEvent[] | undefined {
    if (this.#error !== undefined) throw this.#error;
    if (this.#isForked) return undefined;
    this.#dropDelivered();
    const first = this.#events[0];
    if (first?.seq !== this.#last.seq + 1) return undefined;
    if (isOtherThan(this.#last.incarnation, first.previous)) {
      this.#isForked = true;
      return undefined;
    }
    let end = 1;
    while (end < this.#events.length && follows(this.#events[end], this.#events[end - 1])) end++;
    return this.#drop(end);
  }

  clear(): void {
    this.#drop(this.#events.length);
  }

  /** Resolves when an event was received, or by `wake`. */
  change(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }

  #isReplacedBy({ seq, incarnation }: EventId): boolean {
    return seq === this.#last.seq && isOtherThan(incarnation, this.#last.incarnation);
  }

  #dropDelivered(): void {
    const first = this.#events[0];
    if (!first || first.seq > this.#last.seq) return;
    const end = this.#events.findIndex(({ seq }) => seq > this.#last.seq);
    this.#drop(end < 0 ? this.#events.length : end);
  }

  /** Removes and returns the events before index `end`. */
  #drop(end: number): FeedEvent[] {
    const events = this.#events.splice(0, end);
    let bytes = 0;
    for (const event of events) bytes += bytesOf(event);
    this.#bytes -= bytes;
    this.#limits.budget.give(bytes);
    return events;
  }
}

/** Approximate size on the heap. The bytes of a task are counted where it was read. */
export const bytesOf = ({ json }: Pick<FeedItem, 'json'>): number => 100 + (typeof json === 'string' ? json.length : 0);

/** Whether two incarnations are known to differ. */
function isOtherThan(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function follows(event: FeedEvent | undefined, before: FeedEvent | undefined): boolean {
  return event !== undefined && before?.seq === event.seq - 1 && !isOtherThan(before.incarnation, event.previous);
}
