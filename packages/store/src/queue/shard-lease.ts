import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { integer, list, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { endRunScript } from './agent-queue.ts';
import type { Lease } from './lease.ts';
import { currentMoment } from './moment.ts';

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
export const RENEWALS_PER_LEASE = 5;
/** Runs that one script checks: bounds the time that Redis spends in it. */
const RUNS_PER_CHECK = 200;
/** With each renewal so many runs are checked, or more: all of them are within `RENEWALS_PER_ROUND` renewals. */
const MIN_CHECKED = 16;
const RENEWALS_PER_ROUND = 15;

export interface LeaseDependencies {
  readonly redis: RedisConnection;
  readonly leaseMs: number;
  /** Names this process in tokens; contains no colon. */
  readonly processId: string;
}

/**
 * The lease of this process on one shard. All its jobs there run under it: as long as it is renewed in time, no other
 * process has taken any of them.
 */
export class ShardLease {
  readonly #dependencies: LeaseDependencies;
  readonly #keys: ShardKeys;
  /** By the tokens of their runs. */
  readonly #jobs = new Map<string, Lease>();
  #isRenewing = false;
  #toCheck: readonly Lease[] = [];
  #differences = 0;
  /** Tokens that Redis has for this process, which does not know them. */
  #unknown = new Set<string>();

  constructor(dependencies: LeaseDependencies, keys: ShardKeys) {
    this.#dependencies = dependencies;
    this.#keys = keys;
  }

  add(lease: Lease): void {
    this.#jobs.set(lease.job.token, lease);
  }

  delete(token: string): void {
    this.#jobs.delete(token);
  }

  /** While Redis is unreachable one renewal waits for it, not five per lease. */
  async renew(): Promise<void> {
    if (this.#isRenewing || this.#jobs.size === 0) return;
    this.#isRenewing = true;
    try {
      await this.#renew();
    } finally {
      this.#isRenewing = false;
    }
  }

  /** Asks Redis whether the run still has its job and task, unless that is known. */
  async confirm(lease: Lease): Promise<void> {
    if (lease.unconfirmedMs >= this.#dependencies.leaseMs) await this.#check([lease]);
  }

  async #renew(): Promise<void> {
    const { redis, leaseMs, processId: process } = this.#dependencies;
    const [sentAt, leases] = [currentMoment(), [...this.#jobs.values()]];
    const count = await renewScript.run(redis, { keys: { running: this.#keys.running }, args: { leaseMs, process } });
    if (count < 0) return this.#checkEach(leases);
    // The lease may have run out between the last confirmation of these runs and this renewal.
    const uncertain = leases.filter((lease) => lease.unconfirmedMs >= leaseMs);
    for (const lease of leases) if (lease.unconfirmedMs < leaseMs) lease.confirm(sentAt);
    await this.#checkEach(uncertain);
    await this.#checkEach(this.#nextInTurn());
    await this.#compare(count);
  }

  async #checkEach(leases: readonly Lease[]): Promise<void> {
    for (let from = 0; from < leases.length; from += RUNS_PER_CHECK)
      await this.#check(leases.slice(from, from + RUNS_PER_CHECK));
  }

  /** The next runs in turn. */
  #nextInTurn(): readonly Lease[] {
    if (this.#toCheck.length === 0) this.#toCheck = [...this.#jobs.values()];
    const count = Math.max(MIN_CHECKED, Math.ceil(this.#jobs.size / RENEWALS_PER_ROUND));
    const next = this.#toCheck.slice(0, count).filter(({ job }) => this.#jobs.has(job.token));
    this.#toCheck = this.#toCheck.slice(count);
    return next;
  }

  async #check(leases: readonly Lease[]): Promise<void> {
    const { redis, leaseMs, processId: process } = this.#dependencies;
    const sentAt = currentMoment();
    const turns = leases.map(({ turn }) => (turn?.isOver() ? undefined : turn));
    const states = await checkRunsScript.run(redis, {
      keys: { running: this.#keys.running },
      args: { leaseMs, process },
      each: leases.map(({ queue: { root }, job: { id, token } }, i) => {
        const { taskKey = '', fence = '' } = turns[i] ?? {};
        return { root, id, token, taskKey, fence, seen: turns[i]?.seen() ?? '' };
      }),
    });
    // Replies to earlier writes of turns have arrived: they are handled first.
    await new Promise(setImmediate);
    for (const [i, lease] of leases.entries()) lease.checked(states[i] ?? 'fenced', turns[i], sentAt);
  }

  /**
   * Jobs come and go while the reply is on its way, so that numbers that differ once mean nothing. If they always
   * differ, a fail-over lost the beginning of a run, or the reply with a job did not arrive.
   * @param count of the jobs that Redis has for this process
   */
  async #compare(count: number): Promise<void> {
    this.#differences = count === this.#jobs.size ? 0 : this.#differences + 1;
    if (this.#differences < RENEWALS_PER_LEASE) return;
    this.#differences = 0;
    if (count < this.#jobs.size) await this.#checkEach([...this.#jobs.values()]);
    else await this.#giveBackUnknown();
  }

  /** Gives back the jobs that Redis has for this process, if it did not know them the last time either. */
  async #giveBackUnknown(): Promise<void> {
    const { redis, processId } = this.#dependencies;
    const found = await redis.hgetall(`${this.#keys.running}:${processId}`);
    const unknown = Object.entries(found).filter(([token]) => !this.#jobs.has(token));
    const lost = unknown.filter(([token]) => this.#unknown.has(token));
    this.#unknown = new Set(unknown.map(([token]) => token));
    for (const [token, jobKey] of lost) {
      const root = jobKey.slice(0, jobKey.lastIndexOf(':') + 1);
      const args = { id: jobKey.slice(root.length), token, outcome: 'requeue' };
      await endRunScript.run(redis, { keys: { root }, args });
    }
  }
}
