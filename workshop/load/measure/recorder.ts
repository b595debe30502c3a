import { type Failure, notSent, type Outcome } from '../client/outcome.ts';
import { Latencies } from './latencies.ts';

export interface OperationCounts {
  requests: number;
  errors: number;
  readonly latencies: Latencies;
}

/**
 * Counts what happens in a run. A latency is that of an answer without an error, or of a timeout, which is as bad as it
 * got; an error that comes fast must not make the figures look better.
 */
export class Recorder {
  /** The operation whose latency is that of the run. */
  readonly primary: string;
  readonly errors = new ErrorCounts();
  readonly intervals: Interval[] = [];
  readonly #operations = new Map<string, OperationCounts>();
  readonly #current = new CurrentInterval();
  readonly #beganAt: number;
  #isClosed = false;
  #open = 0;
  #offered = 0;
  #events = 0;

  /** @param beganAt of the run, by `performance.now()` */
  constructor(primary: string, beganAt = performance.now()) {
    this.primary = primary;
    this.#beganAt = beganAt;
  }

  get operations(): ReadonlyMap<string, OperationCounts> {
    return this.#operations;
  }

  get requests(): number {
    return this.#operations.values().reduce((sum, { requests }) => sum + requests, 0);
  }

  get offered(): number {
    return this.#offered;
  }

  get events(): number {
    return this.#events;
  }

  /** Requests, streams or clients that have begun and not left. */
  get open(): number {
    return this.#open;
  }

  /** Something should begin now. */
  arrived(): void {
    this.#offered++;
    this.#current.count('offered');
  }

  began(): void {
    this.#open++;
  }

  left(): void {
    this.#open--;
  }

  /** @param ms since it should have begun; unset where how long it took says nothing */
  ended(operation: string, outcome: Outcome<unknown>, ms?: number): void {
    if (this.#isClosed || isTakenBack(outcome)) return;
    const counts = this.#operation(operation);
    counts.requests++;
    if (outcome.ok) this.#current.count(operation === this.primary ? 'answered' : 'others');
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
    if (what === this.primary) this.#current.latencies.add(ms);
  }

  received(): void {
    if (this.#isClosed) return;
    this.#events++;
    this.#current.count('events');
  }

  wrong(failure: Failure): void {
    if (this.#isClosed) return;
    this.errors.add(failure);
    this.#current.count('errors');
  }

  /** Ends an interval. */
  cut(now = performance.now()): Interval {
    const interval = this.#current.cut((now - this.#beganAt) / 1_000, this.#open);
    this.intervals.push(interval);
    return interval;
  }

  /** What comes from now on is the consequence of an end by force, and is not counted. */
  close(): void {
    this.#isClosed = true;
  }

  #operation(name: string): OperationCounts {
    const known = this.#operations.get(name);
    if (known) return known;
    const made = { requests: 0, errors: 0, latencies: new Latencies() };
    this.#operations.set(name, made);
    return made;
  }
}

function isTakenBack(outcome: Outcome<unknown>): boolean {
  return !outcome.ok && outcome.failure.kind === notSent;
}

export interface ErrorCount {
  readonly kind: string;
  readonly count: number;
  /** The first of them in more words. */
  readonly example: string;
}

class ErrorCounts {
  readonly #kinds = new Map<string, { count: number; readonly example: string }>();

  add({ kind, example }: Failure): void {
    const known = this.#kinds.get(kind);
    if (known) known.count++;
    else this.#kinds.set(kind, { count: 1, example });
  }

  get total(): number {
    return this.#kinds.values().reduce((sum, { count }) => sum + count, 0);
  }

  /** The most frequent first. */
  list(): ErrorCount[] {
    return Array.from(this.#kinds, ([kind, { count, example }]) => ({ kind, count, example })).toSorted(
      (a, b) => b.count - a.count,
    );
  }
}

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
class CurrentInterval {
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
