import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { list, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import type { JobQueue, TakenJob } from './job-queue.ts';

const renewal = word('held', 'canceling', 'lost');
const renewScript = defineScript({
  file: 'renew.lua',
  from: import.meta.url,
  keys: ['cancels'],
  args: ['lockMs'],
  each: ['root', 'id', 'token', 'taskKey', 'fence'],
  reply: list(renewal),
});

/**
 * Renewals in the time that a lock lasts: one that is late, or an event loop that is blocked for four fifths of it,
 * costs nothing.
 */
const RENEWALS_PER_LOCK = 5;
/** Jobs that one script renews: bounds the time that Redis spends in it. */
const JOBS_PER_RENEWAL = 200;

/** A turn that runs under a lease. */
export interface LeasedTurn {
  readonly taskKey: string;
  readonly fence: string;
  /** It has its outcome: what is said of it is late. */
  readonly isOver: () => boolean;
  /** A cancel waits for it. */
  readonly onCancel: () => void;
  /** Another run has its task. */
  readonly onLost: () => void;
}

/** One job that this process runs: others leave it alone as long as its lock lasts. */
export class Lease implements Disposable {
  readonly queue: JobQueue;
  readonly job: TakenJob;
  /** When the job was asked for, as performance.now(), which goes on while the process is stopped. */
  readonly takenAt: number;
  /** Its lock lasted, and its turn was its own, from then on, as performance.now(). */
  confirmedAt: number;
  #turn: LeasedTurn | undefined;
  readonly #onRelease: () => void;

  constructor(queue: JobQueue, job: TakenJob, { takenAt, onRelease }: { takenAt: number; onRelease: () => void }) {
    this.queue = queue;
    this.job = job;
    this.takenAt = takenAt;
    this.confirmedAt = takenAt;
    this.#onRelease = onRelease;
  }

  /** The turn that the job runs now. */
  get turn(): LeasedTurn | undefined {
    return this.#turn;
  }

  /** @param begunAt when it was asked for, as performance.now() */
  begin(turn: LeasedTurn, begunAt: number): void {
    this.#turn = turn;
    this.confirmedAt = begunAt;
  }

  end(): void {
    this.#turn = undefined;
  }

  [Symbol.dispose](): void {
    this.#onRelease();
  }
}

/** The leases of all jobs that this process runs: one timer renews them, by one script a shard. */
export class Leases {
  readonly #redis: RedisConnection;
  readonly #lockMs: number;
  readonly #onError: (error: Error) => void;
  readonly #leases = new Map<string, Lease>();
  readonly #renewing = new Set<ShardKeys>();
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: RedisConnection, lockMs: number, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#lockMs = lockMs;
    this.#onError = onError;
  }

  /** @param takenAt when it was asked for, as performance.now() */
  hold(queue: JobQueue, job: TakenJob, takenAt: number): Lease {
    const lease = new Lease(queue, job, { takenAt, onRelease: () => this.#release(job.token) });
    this.#leases.set(job.token, lease);
    this.#timer ??= setInterval(() => this.#renewAll(), this.#lockMs / RENEWALS_PER_LOCK);
    return lease;
  }

  of(token: string): Lease | undefined {
    return this.#leases.get(token);
  }

  /**
   * Before anything that is seen outside: a process that was stopped, or is told late, may have lost its job meanwhile.
   * If so, the turn's hooks are called.
   */
  async confirm(token: string): Promise<void> {
    const lease = this.#leases.get(token);
    if (lease && performance.now() - lease.confirmedAt >= this.#lockMs) await this.#renew([lease]);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#leases.clear();
  }

  #release(token: string): void {
    this.#leases.delete(token);
    if (this.#leases.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renewAll(): void {
    const byShard = Map.groupBy(this.#leases.values(), ({ queue }) => queue.keys);
    for (const [shard, leases] of byShard) {
      // While Redis is away one renewal waits for it, and not five a lock.
      if (this.#renewing.has(shard)) continue;
      this.#renewing.add(shard);
      this.#renewShard(leases)
        .catch((error: unknown) => this.#onError(error instanceof Error ? error : new Error(String(error))))
        .finally(() => this.#renewing.delete(shard));
    }
  }

  async #renewShard(leases: readonly Lease[]): Promise<void> {
    for (let from = 0; from < leases.length; from += JOBS_PER_RENEWAL)
      await this.#renew(leases.slice(from, from + JOBS_PER_RENEWAL));
  }

  /** @param leases of one shard */
  async #renew(leases: readonly Lease[]): Promise<void> {
    const sentAt = performance.now();
    const turns = leases.map(({ turn }) => (turn?.isOver() ? undefined : turn));
    const cancels = leases[0]?.queue.keys.cancels ?? '';
    const replies = await renewScript.run(this.#redis, {
      keys: { cancels },
      args: { lockMs: this.#lockMs },
      each: leases.map(({ queue: { root }, job: { id, token } }, i) => {
        const { taskKey = '', fence = '' } = turns[i] ?? {};
        return { root, id, token, taskKey, fence };
      }),
    });
    // The replies to what turns wrote before this have come, and are told first.
    await new Promise(setImmediate);
    for (const [i, lease] of leases.entries()) tell(lease, turns[i], replies[i] ?? 'lost', sentAt);
  }
}

function tell(lease: Lease, turn: LeasedTurn | undefined, reply: ReturnType<typeof renewal>, sentAt: number): void {
  // What was said of the job alone, or of the turn before, is not said of this turn.
  if (turn !== lease.turn) return;
  if (reply !== 'lost') lease.confirmedAt = sentAt;
  if (!turn || turn.isOver()) return;
  if (reply === 'canceling') turn.onCancel();
  if (reply === 'lost') turn.onLost();
}
