import { type Failure, notSent, type Outcome } from '../client/outcome.ts';
import { Latencies } from './latencies.ts';

export interface OperationCounts {
  requests: number;
  errors: number;
  readonly latencies: Latencies;
}

export interface ErrorCount {
  readonly kind: string;
  readonly count: number;
  /** The first of them in more words. */
  readonly example: string;
}

interface Counts {
  /** Arrivals: what should have been begun. */
  offered: number;
  /** Answers without an error to the operation that the profile is about. */
  answered: number;
  /** The same to all others. */
  others: number;
  /** Events that came on streams. */
  events: number;
  errors: number;
}

/** What happened in one second of a run. */
export interface Interval extends Readonly<Counts> {
  /** Its end, in seconds since the start. */
  readonly seconds: number;
  /** How long it was, in seconds: 1, more or less, and the rest at the end. */
  readonly lasted: number;
  /** Begun and not ended, at the end of the second. */
  readonly open: number;
  /** Latency of what was answered in it, in milliseconds; undefined if nothing was. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly max: number | undefined;
}

const nothing = (): Counts => ({ offered: 0, answered: 0, others: 0, events: 0, errors: 0 });

/**
 * Counts what happens in a run. A latency is that of an answer without an error, or of a timeout, which is as bad as it
 * got; an error that comes fast must not make the figures look better.
 */
export class Recorder {
  /** The operation whose latency is that of the run. */
  readonly primary: string;
  readonly operations = new Map<string, OperationCounts>();
  readonly intervals: Interval[] = [];
  readonly total = nothing();
  readonly #errors = new Map<string, { count: number; readonly example: string }>();
  readonly #beganAt = performance.now();
  /** The present second. */
  readonly #latencies = new Latencies();
  #current = nothing();
  #isClosed = false;
  #open = 0;

  constructor(primary: string) {
    this.primary = primary;
  }

  get requests(): number {
    return this.operations.values().reduce((sum, { requests }) => sum + requests, 0);
  }

  /** The most frequent first. */
  get errors(): ErrorCount[] {
    const errors = Array.from(this.#errors, ([kind, { count, example }]) => ({ kind, count, example }));
    return errors.toSorted((a, b) => b.count - a.count);
  }

  /** Something should begin now. */
  arrived(): void {
    this.#count('offered');
  }

  /** Requests, streams or clients that have begun and not left. */
  began(): void {
    this.#open++;
  }

  left(): void {
    this.#open--;
  }

  /** @param ms since it should have begun; unset where the duration means nothing */
  ended(operation: string, outcome: Outcome<unknown>, ms?: number): void {
    const isTakenBack = !outcome.ok && outcome.failure.kind === notSent;
    if (this.#isClosed || isTakenBack) return;
    const counts = this.#operation(operation);
    counts.requests++;
    if (outcome.ok) this.#count(operation === this.primary ? 'answered' : 'others');
    else {
      counts.errors++;
      this.wrong(outcome.failure);
    }
    if (ms !== undefined && (outcome.ok || outcome.failure.kind === 'timeout')) this.took(operation, ms);
  }

  /** A duration that is of interest, though not that of a request. */
  took(what: string, ms: number): void {
    if (this.#isClosed) return;
    this.#operation(what).latencies.add(ms);
    if (what === this.primary) this.#latencies.add(ms);
  }

  received(): void {
    if (!this.#isClosed) this.#count('events');
  }

  wrong({ kind, example }: Failure): void {
    if (this.#isClosed) return;
    const known = this.#errors.get(kind);
    this.#errors.set(kind, { count: (known?.count ?? 0) + 1, example: known?.example ?? example });
    this.#count('errors');
  }

  /** Ends an interval, and begins the next. */
  cut(): Interval {
    const seconds = (performance.now() - this.#beganAt) / 1_000;
    const lasted = seconds - (this.intervals.at(-1)?.seconds ?? 0);
    const [p50, p99, max] = [50, 99, 100].map((percentile) => this.#latencies.at(percentile));
    const interval = { seconds, lasted, open: this.#open, ...this.#current, p50, p99, max };
    this.#current = nothing();
    this.#latencies.reset();
    this.intervals.push(interval);
    return interval;
  }

  /** What comes from now on is the consequence of an end by force, and is not counted. */
  close(): void {
    this.#isClosed = true;
  }

  #count(what: keyof Counts): void {
    this.total[what]++;
    this.#current[what]++;
  }

  #operation(name: string): OperationCounts {
    const counts = this.operations.get(name) ?? { requests: 0, errors: 0, latencies: new Latencies() };
    this.operations.set(name, counts);
    return counts;
  }
}
