import type { RedisConnection } from '../redis/connection.ts';
import { toError } from '../redis/errors.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { list, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import type { AgentQueue, TakenJob } from './agent-queue.ts';

const renewal = word('held', 'canceling', 'fenced', 'steered');
const renewScript = defineScript({
  file: 'renew.lua',
  from: import.meta.url,
  keys: ['cancels'],
  args: ['lockMs'],
  each: ['root', 'id', 'token', 'taskKey', 'fence', 'seen'],
  reply: list(renewal),
});

/** Renewals per lock duration: a lock survives an event loop that is blocked for four fifths of its duration. */
const RENEWALS_PER_LOCK = 5;
/** Jobs that one script renews: bounds the time that Redis spends in it. */
const JOBS_PER_RENEWAL = 200;

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

/** The lease of one job that this process runs: no other process takes it while its lock lasts. */
export class Lease implements Disposable {
  readonly queue: AgentQueue;
  readonly job: TakenJob;
  /** When the job was requested, as performance.now(), which goes on while the process is stopped. */
  readonly takenAt: number;
  /** When lock and turn were last known to be this run's, as performance.now(). */
  confirmedAt: number;
  #turn: LeasedTurn | undefined;
  readonly #onRelease: () => void;

  constructor(queue: AgentQueue, job: TakenJob, { takenAt, onRelease }: { takenAt: number; onRelease: () => void }) {
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

  /** @param begunAt when it was requested, as performance.now() */
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

/** The leases of all jobs of this process: one timer renews them, with one script per shard. */
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

  /** @param takenAt when it was requested, as performance.now() */
  hold(queue: AgentQueue, job: TakenJob, takenAt: number): Lease {
    const lease = new Lease(queue, job, { takenAt, onRelease: () => this.#release(job.token) });
    this.#leases.set(job.token, lease);
    this.#timer ??= setInterval(() => this.#renewAll(), this.#lockMs / RENEWALS_PER_LOCK);
    return lease;
  }

  of(token: string): Lease | undefined {
    return this.#leases.get(token);
  }

  /**
   * Call it before an external effect: a process that was stopped, or got a late reply, may have lost its job. In that
   * case it calls the turn's hooks.
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
      // While Redis is unreachable one renewal waits for it, not five per lock.
      if (this.#renewing.has(shard)) continue;
      this.#renewing.add(shard);
      this.#renewShard(leases)
        .catch((error: unknown) => this.#onError(toError(error)))
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
        return { root, id, token, taskKey, fence, seen: turns[i]?.seen() ?? '' };
      }),
    });
    // Replies to earlier writes of turns have arrived: they are handled first.
    await new Promise(setImmediate);
    for (const [i, lease] of leases.entries()) handle(lease, turns[i], replies[i] ?? 'fenced', sentAt);
  }
}

function handle(lease: Lease, turn: LeasedTurn | undefined, reply: ReturnType<typeof renewal>, sentAt: number): void {
  // The job has begun another turn since the request, or ended it.
  if (turn !== lease.turn) return;
  if (reply !== 'fenced') lease.confirmedAt = sentAt;
  if (!turn || turn.isOver()) return;
  if (reply === 'canceling') turn.onCancel();
  if (reply === 'fenced') turn.onFenced();
  if (reply === 'steered') turn.onSteered();
}
