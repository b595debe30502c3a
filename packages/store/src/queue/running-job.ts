import type { Lease, LeasedJob, LeasedTurn, RunState } from './lease.ts';
import { elapsedMs, type Moment } from './moment.ts';

/**
 * What the queue does with the job: `done`; `removed`: it is in no queue any more; `requeue`: to the front of the
 * queue; or back after a delay.
 */
export type JobOutcome = 'done' | 'removed' | 'requeue' | { readonly retryAfterMs: number };

/** One start of a job by its queue. */
export interface JobStart {
  readonly id: string;
  /** Of this start's run: tells a command sent twice from a second start. */
  readonly token: string;
  /** How often the queue has started the job, this time included. */
  readonly started: number;
  /** A running turn waits for this job's turn. */
  readonly isAwaited: boolean;
  /** Since the job was added, or given back. */
  readonly waitedMs: number;
  /** When the job was requested. */
  readonly requestedAt: Moment;
}

/** A job that this process runs, from its start to its end: one run of the job. */
export class RunningJob implements JobStart, LeasedJob {
  readonly id: string;
  readonly token: string;
  readonly started: number;
  readonly isAwaited: boolean;
  readonly waitedMs: number;
  readonly requestedAt: Moment;
  /** Prefix of the keys of its queue. */
  readonly root: string;
  readonly #lease: Lease;
  #confirmedAt: Moment;
  #isFenced = false;
  #turn: LeasedTurn | undefined;
  #place: RunningJob | undefined;

  constructor({ root, lease }: { readonly root: string; readonly lease: Lease }, start: JobStart) {
    this.id = start.id;
    this.token = start.token;
    this.started = start.started;
    this.isAwaited = start.isAwaited;
    this.waitedMs = start.waitedMs;
    this.requestedAt = start.requestedAt;
    this.root = root;
    this.#lease = lease;
    this.#confirmedAt = start.requestedAt;
  }

  /** From now on the lease of the process keeps the job, until the result is disposed of. */
  hold(): Disposable {
    const held = this.#lease.hold(this);
    const place = this.#place?.hold();
    return {
      [Symbol.dispose]: () => {
        held[Symbol.dispose]();
        place?.[Symbol.dispose]();
      },
    };
  }

  /** The job's agent has limits: the job keeps this place until its end, and its turn stops if the place is lost. */
  keep(place: RunningJob): void {
    this.#place = place;
  }

  /**
   * Call it before an external effect. If more time has passed than the lease lasts, because the process was stopped or
   * got a late reply, it asks Redis whether the run still has its job and task, and calls the turn's hooks if not.
   */
  async confirm(): Promise<void> {
    await this.#lease.confirm(this);
    await this.#place?.confirm();
  }

  /** Ends the run, unless another run has the job. */
  async end(outcome: JobOutcome): Promise<void> {
    if (outcome !== 'removed')
      await this.#lease.endRun(this, typeof outcome === 'object' ? outcome.retryAfterMs : outcome);
    await this.#place?.end('done');
  }

  /** The turn that the job runs now. */
  get turn(): LeasedTurn | undefined {
    return this.#turn;
  }

  get unconfirmedMs(): number {
    return this.#isFenced ? Number.POSITIVE_INFINITY : elapsedMs(this.#confirmedAt);
  }

  confirmed(at: Moment): void {
    this.#confirmedAt = at;
  }

  checked(state: RunState, turn: LeasedTurn | undefined, sentAt: Moment): void {
    // The job has begun another turn since, or ended it.
    if (turn !== this.#turn) return;
    const wasFenced = this.#isFenced;
    this.#isFenced = state === 'fenced';
    if (state !== 'fenced') this.#confirmedAt = sentAt;
    if (!turn || turn.isOver()) return;
    if (state === 'canceling') turn.onCancel();
    if (state === 'fenced' && !wasFenced) turn.onFenced();
    if (state === 'steered') turn.onSteered();
  }

  /** The job runs this turn. @param begunAt when the turn was requested */
  protected enter(turn: LeasedTurn, begunAt: Moment): void {
    this.#turn = turn;
    this.#confirmedAt = begunAt;
    this.#isFenced = false;
  }

  /** The job runs no turn. */
  protected leave(): void {
    this.#turn = undefined;
  }
}
