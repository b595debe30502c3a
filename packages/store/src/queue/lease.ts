import { defineScript, integer, list, type RedisConnection, toError, word } from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';
import { currentMoment, type Moment } from './moment.ts';

const endRunScript = defineScript({
  file: 'end-run.lua',
  from: import.meta.url,
  keys: ['root'],
  args: ['id', 'token', 'outcome'],
  reply: word('ended', 'fenced'),
});
export const renewScript = defineScript({
  file: 'renew.lua',
  from: import.meta.url,
  keys: ['running'],
  args: ['leaseMs', 'process'],
  reply: integer,
});
const checkRunsScript = defineScript({
  file: 'check-runs.lua',
  from: import.meta.url,
  keys: ['running'],
  args: ['leaseMs', 'process'],
  each: ['root', 'id', 'token', 'taskKey', 'fence', 'seen'],
  reply: list(word('held', 'canceling', 'fenced', 'steered')),
});

/** Renewals per lease: it survives an event loop that is blocked for four fifths of its duration. */
const RENEWALS_PER_LEASE = 5;
/** Runs that one script checks: bounds the time that Redis spends in it. */
const RUNS_PER_CHECK = 200;
/** With each renewal so many runs are checked, or more: all of them are within `RENEWALS_PER_ROUND` renewals. */
const MIN_CHECKED = 16;
const RENEWALS_PER_ROUND = 15;

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

/** Names one run of a job. */
interface RunId {
  /** Prefix of the keys of the job's queue. */
  readonly root: string;
  readonly id: string;
  readonly token: string;
}

/** A job that runs under a lease. */
export interface LeasedJob extends RunId {
  readonly turn: LeasedTurn | undefined;
  /** Since job and turn were last known to be this run's. */
  readonly unconfirmedMs: number;
  /** The process has had its lease since the last confirmation. */
  confirmed(at: Moment): void;
  /** @param turn that ran when the check was sent, at `sentAt`; undefined: none did, or it was over */
  checked(state: RunState, turn: LeasedTurn | undefined, sentAt: Moment): void;
}

export interface LeaseDependencies {
  readonly redis: RedisConnection;
  readonly leaseMs: number;
  /** Names this process in tokens; contains no colon. */
  readonly processId: string;
  readonly onError: (error: Error) => void;
}

/**
 * The lease of this process on one shard. All its jobs there run under it: as long as it is renewed in time, no other
 * process has taken any of them. A timer renews it while jobs run.
 */
export class Lease {
  readonly keys: ShardKeys;
  readonly redis: RedisConnection;
  readonly leaseMs: number;
  readonly #dependencies: LeaseDependencies;
  readonly #jobs = new Set<LeasedJob>();
  #timer: NodeJS.Timeout | undefined;
  #isRenewing = false;
  #toCheck: readonly LeasedJob[] = [];
  #differences = 0;
  /** Tokens that Redis has for this process, which does not know them. */
  #unknown = new Set<string>();

  constructor(dependencies: LeaseDependencies, keys: ShardKeys) {
    this.keys = keys;
    this.redis = dependencies.redis;
    this.leaseMs = dependencies.leaseMs;
    this.#dependencies = dependencies;
  }

  /** The job runs under the lease until the result is disposed of. */
  hold(job: LeasedJob): Disposable {
    this.#jobs.add(job);
    this.#timer ??= setInterval(() => this.#onTimer(), this.leaseMs / RENEWALS_PER_LEASE);
    return {
      [Symbol.dispose]: () => {
        this.#jobs.delete(job);
        if (this.#jobs.size === 0) this.stop();
      },
    };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#jobs.clear();
  }

  /** @param outcome as in end-run.lua */
  async endRun({ root, id, token }: RunId, outcome: 'done' | 'requeue' | number): Promise<void> {
    await endRunScript.run(this.redis, { keys: { root }, args: { id, token, outcome } });
  }

  /** Asks Redis whether the run still has its job and task, unless that is known. */
  async confirm(job: LeasedJob): Promise<void> {
    if (job.unconfirmedMs >= this.leaseMs) await this.#check([job]);
  }

  /** While Redis is unreachable one renewal waits for it, not five per lease. */
  #onTimer(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    this.#renew()
      .catch((error: unknown) => this.#dependencies.onError(toError(error)))
      .finally(() => {
        this.#isRenewing = false;
      });
  }

  async #renew(): Promise<void> {
    const { redis, leaseMs, processId: process } = this.#dependencies;
    const [sentAt, jobs] = [currentMoment(), [...this.#jobs]];
    const count = await renewScript.run(redis, { keys: { running: this.keys.running }, args: { leaseMs, process } });
    if (count < 0) return this.#checkEach(jobs);
    // The lease may have run out between the last confirmation of these runs and this renewal.
    const uncertain = jobs.filter((job) => job.unconfirmedMs >= leaseMs);
    for (const job of jobs) if (job.unconfirmedMs < leaseMs) job.confirmed(sentAt);
    await this.#checkEach(uncertain);
    await this.#checkEach(this.#nextToCheck());
    await this.#compare(count);
  }

  async #checkEach(jobs: readonly LeasedJob[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += RUNS_PER_CHECK)
      await this.#check(jobs.slice(from, from + RUNS_PER_CHECK));
  }

  /** Some of the runs, then the next ones, until all have been checked. */
  #nextToCheck(): readonly LeasedJob[] {
    if (this.#toCheck.length === 0) this.#toCheck = [...this.#jobs];
    const count = Math.max(MIN_CHECKED, Math.ceil(this.#jobs.size / RENEWALS_PER_ROUND));
    const next = this.#toCheck.slice(0, count).filter((job) => this.#jobs.has(job));
    this.#toCheck = this.#toCheck.slice(count);
    return next;
  }

  async #check(jobs: readonly LeasedJob[]): Promise<void> {
    const { redis, leaseMs, processId: process } = this.#dependencies;
    const sentAt = currentMoment();
    const turns = jobs.map(({ turn }) => (turn?.isOver() ? undefined : turn));
    const states = await checkRunsScript.run(redis, {
      keys: { running: this.keys.running },
      args: { leaseMs, process },
      each: jobs.map(({ root, id, token }, i) => {
        const { taskKey = '', fence = '' } = turns[i] ?? {};
        return { root, id, token, taskKey, fence, seen: turns[i]?.seen() ?? '' };
      }),
    });
    // Replies to earlier writes of turns have arrived: they are handled first.
    await new Promise(setImmediate);
    for (const [i, job] of jobs.entries()) job.checked(states[i] ?? 'fenced', turns[i], sentAt);
  }

  /**
   * Jobs come and go while the reply is on its way, so that numbers that differ once mean nothing. If they always
   * differ, a fail-over lost the beginning of a run, or the reply with a job did not arrive.
   * @param count of the jobs that Redis has for this process
   */
  async #compare(count: number): Promise<void> {
    // The outcome of a turn has removed its job, even if the agent goes on.
    const known = [...this.#jobs].filter(({ turn }) => !turn?.isOver()).length;
    this.#differences = count === known ? 0 : this.#differences + 1;
    if (this.#differences < RENEWALS_PER_LEASE) return;
    this.#differences = 0;
    if (count < known) await this.#checkEach([...this.#jobs]);
    else await this.#giveBackUnknown();
  }

  /** Gives back the jobs that Redis has for this process, if it did not know them the last time either. */
  async #giveBackUnknown(): Promise<void> {
    const found = await this.redis.hgetall(`${this.keys.running}:${this.#dependencies.processId}`);
    const known = new Set(Array.from(this.#jobs, ({ token }) => token));
    const unknown = Object.entries(found).filter(([token]) => !known.has(token));
    const lost = unknown.filter(([token]) => this.#unknown.has(token));
    this.#unknown = new Set(unknown.map(([token]) => token));
    for (const [token, jobKey] of lost) {
      const root = jobKey.slice(0, jobKey.lastIndexOf(':') + 1);
      // A place (places.ts) is held as a job is, but waits in no queue.
      const outcome = root.startsWith(this.keys.places('').slice(0, -1)) ? 'done' : 'requeue';
      await this.endRun({ root, id: jobKey.slice(root.length), token }, outcome);
    }
  }
}
