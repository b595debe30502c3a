import type { AgentQueue, TakenJob } from './agent-queue.ts';
import { elapsedMs, type Moment } from './moment.ts';

/** A turn that runs under a lease. */
export interface LeasedTurn {
  readonly taskKey: string;
  readonly fence: string;
  /** Whether the turn has its outcome; then cancel and loss no longer matter. */
  readonly isOver: () => boolean;
  /** Number of the task's messages that the turn knows of; undefined: it asks only for its own. */
  readonly seen: () => number | undefined;
  /** Called when other messages have arrived. */
  readonly onSteered: () => void;
  /** Called when the task is to be canceled. */
  readonly onCancel: () => void;
  /** Called when another run owns the task. */
  readonly onFenced: () => void;
}

/** What a check of a run found: see check-runs.lua. */
export type RunState = 'held' | 'canceling' | 'fenced' | 'steered';

/** The part of its process' lease that one job has: no other process takes the job while the lease lasts. */
export class Lease implements Disposable {
  readonly queue: AgentQueue;
  readonly job: TakenJob;
  /** When the job was requested. */
  readonly takenAt: Moment;
  #confirmedAt: Moment;
  #isFenced = false;
  #turn: LeasedTurn | undefined;
  readonly #onRelease: () => void;

  constructor(queue: AgentQueue, job: TakenJob, { takenAt, onRelease }: { takenAt: Moment; onRelease: () => void }) {
    this.queue = queue;
    this.job = job;
    this.takenAt = takenAt;
    this.#confirmedAt = takenAt;
    this.#onRelease = onRelease;
  }

  /** The turn that the job runs now. */
  get turn(): LeasedTurn | undefined {
    return this.#turn;
  }

  /** Since job and turn were last known to be this run's. */
  get unconfirmedMs(): number {
    return this.#isFenced ? Number.POSITIVE_INFINITY : elapsedMs(this.#confirmedAt);
  }

  /** @param begunAt when it was requested */
  begin(turn: LeasedTurn, begunAt: Moment): void {
    this.#turn = turn;
    this.#confirmedAt = begunAt;
    this.#isFenced = false;
  }

  /** The process has had its lease since the last confirmation. */
  confirm(at: Moment): void {
    this.#confirmedAt = at;
  }

  end(): void {
    this.#turn = undefined;
  }

  /** @param turn that ran when the check was sent, at `sentAt`; undefined: none did, or it was over */
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

  [Symbol.dispose](): void {
    this.#onRelease();
  }
}
