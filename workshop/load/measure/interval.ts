import { Latencies } from './latencies.ts';

/** What happened in one second of a run, as counts. */
export interface Interval {
  /** Its end, in seconds since the start. */
  readonly seconds: number;
  /** How long it was, in seconds: 1, more or less, and the rest at the end. */
  readonly lasted: number;
  /** Arrivals: what should have been begun. */
  readonly offered: number;
  /** Answers without an error to the operation that the profile is about. */
  readonly answered: number;
  /** The same to all others. */
  readonly others: number;
  /** Events that came on streams. */
  readonly events: number;
  readonly errors: number;
  /** Begun and not ended, at the end of the second. */
  readonly open: number;
  /** Latency of what was answered in it, in milliseconds; undefined if nothing was. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly max: number | undefined;
}

type Count = 'offered' | 'answered' | 'others' | 'events' | 'errors';

const nothing = (): Record<Count, number> => ({ offered: 0, answered: 0, others: 0, events: 0, errors: 0 });

/** The second that is under way. */
export class CurrentInterval {
  readonly latencies = new Latencies();
  #counts = nothing();
  #since = 0;

  count(what: Count): void {
    this.#counts[what]++;
  }

  /** Ends it, and begins the next. @param seconds since the start @param open begun and not ended */
  cut(seconds: number, open: number): Interval {
    const lasted = seconds - this.#since;
    this.#since = seconds;
    const [p50, p99, max] = [50, 99, 100].map((percentile) => this.latencies.at(percentile));
    const interval = { seconds, lasted, open, ...this.#counts, p50, p99, max };
    this.#counts = nothing();
    this.latencies.reset();
    return interval;
  }
}
