import { isInterrupted, isTerminal, type TaskState } from '@switchyard/protocol';
import { Latencies, type LatencySummary } from '../statistics.ts';
import type { TaskView } from './client.ts';
import type { Failure } from './connections.ts';

interface Counts {
  /** Arrivals: requests that were due. */
  offered: number;
  /** Successful answers. */
  answered: number;
  /** Events of streams. */
  events: number;
  errors: number;
}

/** What happened in one second of a run. */
export interface Interval extends Readonly<Counts> {
  /** End of the second, in seconds since the start. */
  readonly seconds: number;
  /** Started and not ended, at the end of the second. */
  readonly open: number;
  /** Latency of the operation that the profile measures; undefined without answers in this second. */
  readonly latency: LatencySummary | undefined;
}

const nothing = (): Counts => ({ offered: 0, answered: 0, events: 0, errors: 0 });

/**
 * Counts the requests of a run. Latencies are those of successful answers and of timeouts: fast errors must not improve
 * the figures.
 */
export class Recorder {
  /** The operation whose latency is the latency of the run. */
  readonly primary: string;
  readonly operations = new Map<string, { requests: number; errors: number; readonly latencies: Latencies }>();
  readonly intervals: Interval[] = [];
  readonly total = nothing();
  readonly #errors = new Map<string, { count: number; readonly example: string }>();
  readonly #beganAt = performance.now();
  /** The current second. */
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

  /** The most frequent first, each with details of its first occurrence. */
  get errors() {
    const errors = Array.from(this.#errors, ([kind, { count, example }]) => ({ kind, count, example }));
    return errors.toSorted((a, b) => b.count - a.count);
  }

  /** A request or client is due. @returns how many have not ended, including this one */
  arrived(): number {
    this.#count('offered');
    return ++this.#open;
  }

  left(): void {
    this.#open--;
  }

  /** @param ms since it was due; unset if the duration means nothing */
  ended(operation: string, failure: Failure | undefined, ms?: number): void {
    if (this.#isClosed) return;
    const counts = this.#operation(operation);
    counts.requests++;
    if (!failure) this.#count('answered');
    else {
      counts.errors++;
      this.wrong(failure.kind, failure.message);
    }
    if (ms !== undefined && (!failure || failure.kind === 'timeout')) this.took(operation, ms);
  }

  /** Adds a duration that is not one of a request. */
  took(what: string, ms: number): void {
    if (this.#isClosed) return;
    this.#operation(what).latencies.add(ms);
    if (what === this.primary) this.#latencies.add(ms);
  }

  received(): void {
    if (!this.#isClosed) this.#count('events');
  }

  wrong(kind: string, example: string): void {
    if (this.#isClosed) return;
    const known = this.#errors.get(kind);
    this.#errors.set(kind, { count: (known?.count ?? 0) + 1, example: known?.example ?? example });
    this.#count('errors');
  }

  /** Ends an interval, and starts the next. */
  cut(): Interval {
    const seconds = (performance.now() - this.#beganAt) / 1_000;
    const interval = { seconds, open: this.#open, ...this.#current, latency: this.#latencies.summary() };
    this.#current = nothing();
    this.#latencies.reset();
    this.intervals.push(interval);
    return interval;
  }

  /** Stops counting, since failures after a forced end are caused by it. */
  close(): void {
    this.#isClosed = true;
  }

  #count(what: keyof Counts): void {
    this.total[what]++;
    this.#current[what]++;
  }

  #operation(name: string) {
    const counts = this.operations.get(name) ?? { requests: 0, errors: 0, latencies: new Latencies() };
    this.operations.set(name, counts);
    return counts;
  }
}

/** Others are not followed to their end: they would fill the memory of a run of hours. */
const MOST_OPEN = 200_000;

/** The tasks of a run, as far as its clients know. */
export class TaskLedger {
  readonly open = new Set<string>();
  readonly #recorder: Recorder;
  readonly #counts = {
    /** Answered with a task. */
    accepted: 0,
    completed: 0,
    /** Failed, rejected or canceled. */
    failed: 0,
    /** Waiting for input or an authorization, the end for a client that does not answer. */
    waiting: 0,
    /** Answers that are a message without a task. */
    messages: 0,
  };

  /** @param recorder counts each task that does not complete */
  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  accepted(task: TaskView): void {
    this.#counts.accepted++;
    if (this.open.size < MOST_OPEN) this.open.add(task.id);
    this.seen(task);
  }

  repliedWithMessage(): void {
    this.#counts.messages++;
  }

  /** Counts a task when its end is first seen. @returns whether it has ended, now or before */
  seen({ id, status: { state } }: TaskView): boolean {
    if (!isSettled(state)) return false;
    if (!this.open.delete(id)) return true;
    const end = state === 'TASK_STATE_COMPLETED' ? 'completed' : isTerminal(state) ? 'failed' : 'waiting';
    this.#counts[end]++;
    // TASK_STATE_FAILED, _REJECTED or _CANCELED.
    if (end === 'failed') this.#recorder.wrong(`task ${state.slice('TASK_STATE_'.length).toLowerCase()}`, id);
    return true;
  }

  /** Including those that were not known to have ended when the run did. */
  counts() {
    const { accepted, completed, failed, waiting } = this.#counts;
    return { ...this.#counts, unfinished: accepted - completed - failed - waiting };
  }
}

/** Whether it changes only with another message. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}
