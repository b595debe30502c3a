import type { PendingWait } from '../port/wait-port.ts';
import type { MemoryWaits, SkippingClock, Suspension } from './memory-waits.ts';

/** An event from outside. */
export interface TestEvent {
  readonly name: string;
  /** JSON. */
  readonly data?: unknown;
  /** How long after the begin of the turn, in milliseconds; default 0: before it begins. */
  readonly afterMs?: number;
}

/** Events that a test gives to a turn, at their times. */
export class TimedEvents {
  readonly #clock: SkippingClock;
  readonly #events: { readonly event: TestEvent; readonly atMs: number }[];

  constructor(events: readonly TestEvent[], clock: SkippingClock) {
    this.#clock = clock;
    const timed = events.map((event) => ({ event, atMs: clock.nowMs + (event.afterMs ?? 0) }));
    this.#events = timed.sort((a, b) => a.atMs - b.atMs);
  }

  /** Gives the events that have come by now: at once, or after `MemoryWaits.check` to a suspended turn. */
  async giveTo(waits: MemoryWaits, suspension?: Suspension): Promise<void> {
    for (let [next] = this.#events; next && next.atMs <= this.#clock.nowMs; [next] = this.#events) {
      if (suspension) await waits.check(next.event.name, next.event.data, suspension);
      waits.give(next.event.name, next.event.data);
      this.#events.shift();
    }
  }

  /**
   * Skips the time until one of the waits ends, or the next event comes.
   * @returns false: no event will come, so it is up to the test what comes next
   */
  skip(waits: readonly PendingWait[]): boolean {
    const [next] = this.#events;
    if (!next && waits.some(({ event }) => event !== undefined)) return false;
    this.#clock.skipTo(Math.min(next?.atMs ?? Number.POSITIVE_INFINITY, ...waits.map(({ dueMs }) => dueMs)));
    return true;
  }
}
