import { type Failure, notSent, type Outcome } from '../client/outcome.ts';
import { ErrorCounts } from './error-counts.ts';
import { CurrentInterval, type Interval } from './interval.ts';
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
