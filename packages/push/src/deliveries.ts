import {
  type ClaimedMember,
  type Claims,
  damagedMembers,
  defineScript,
  integer,
  text,
  tuple,
  tupleAnd,
  verdict,
  workOffShards,
} from '@switchyard/redis';
import type { DeliveryQueueId, JobOutcome } from '@switchyard/store';
import { Consumer, PUSH_QUEUE, parseDeliveryQueue, parseJobId, type ShardKeys } from '@switchyard/store/inside';
import { type PushDependencies, parseCursor, webhookKeys } from './delivery-queue.ts';
import { OpenDeliveryQueue } from './open-delivery-queue.ts';

const from = import.meta.url;
const claimScript = defineScript({
  file: 'claim-deliveries.lua',
  from,
  keys: ['push', 'deadPush', 'tasksRoot'],
  args: ['reclaimAfterMs', 'limit', 'keptMs'],
  reply: tupleAnd([integer], verdict({ claimed: tuple(text, integer, integer, text), damaged: tuple(text, text) })),
});
const openScript = defineScript({
  file: 'open-delivery-queue.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'number', 'job', 'token'],
  reply: verdict({ stale: tuple(), idle: tuple(), open: tuple(text, text, text, integer, integer) }),
});

const CLAIMS_AT_ONCE = 200;
/** Claims without progress after which the queue may have lost the job from all its lists. */
const SUSPICIOUS_CLAIMS = 4;

/** One start of the job of a delivery queue. */
export interface PushJob extends DeliveryQueueId {
  readonly job: number;
  /** Of this run of the job. */
  readonly token: string;
}

/** A delivery queue that needs a job. */
interface ClaimedQueue extends ClaimedMember {
  readonly owner: string;
  readonly job: number;
  /** Since its last progress. */
  readonly claims: number;
}

export interface PushConsumerOptions {
  /** Webhooks that this process serves at the same time. */
  readonly concurrency: number;
  readonly run: (job: PushJob) => Promise<JobOutcome>;
  readonly onError: (error: Error) => void;
}

/** Delivery queues, for workers. */
export class Deliveries {
  readonly #dependencies: PushDependencies;

  constructor(dependencies: PushDependencies) {
    this.#dependencies = dependencies;
  }

  /** Consumes the jobs of all webhooks; each run calls `open`. */
  consume({ concurrency, run, onError }: PushConsumerOptions): Consumer {
    return new Consumer(this.#dependencies.consumers, {
      queue: PUSH_QUEUE,
      concurrency,
      onError,
      take: (queue, request) => queue.take(request),
      run({ id, token }) {
        const { taskId: deliveryQueue, job } = parseJobId(id);
        return run({ ...parseDeliveryQueue(deliveryQueue), job, token });
      },
    });
  }

  /** Jobs that wait for a worker. */
  waiting(): Promise<number> {
    return this.#dependencies.queue.waiting(PUSH_QUEUE);
  }

  /**
   * Adds a job for each delivery queue that has new events, or made no progress for `reclaimAfterMs`. Several processes
   * may do so at once. @param shards default: all @returns the number of these queues
   */
  claim(shards = this.#dependencies.shards.all): Promise<number> {
    const { redis, queue } = this.#dependencies;
    return workOffShards<ShardKeys, ClaimedQueue>(shards, (keys) => ({
      redis,
      key: keys.push,
      limit: CLAIMS_AT_ONCE,
      claim: () => this.#claimSome(keys),
      work: ({ member, owner, job, claims }) =>
        queue.addPush(parseDeliveryQueue(member), { owner, job }, { isSuspicious: claims >= SUSPICIOUS_CLAIMS }),
    }));
  }

  /** @returns `stale`, `idle`: there is nothing to deliver, the job is done */
  async open({ job, token, ...id }: PushJob): Promise<OpenDeliveryQueue | 'stale' | 'idle'> {
    const { redis, shards } = this.#dependencies;
    const args = { ...id, job, token };
    const reply = await openScript.run(redis, { keys: shards.of(id.taskId).webhooks(id.taskId), args });
    if (reply[0] !== 'open') return reply[0];
    const [, configId, encrypted, cursor, attempts, ageMs] = reply;
    return new OpenDeliveryQueue(this.#dependencies, {
      id,
      token,
      configId,
      encrypted,
      cursor: parseCursor(cursor),
      attempts,
      ageMs,
    });
  }

  async #claimSome(keys: ShardKeys): Promise<Claims<ClaimedQueue>> {
    const { redis, settings } = this.#dependencies;
    const [nowMs, ...rows] = await claimScript.run(redis, {
      keys: { push: keys.push, deadPush: keys.deadPush, tasksRoot: keys.tasks },
      args: { reclaimAfterMs: settings.reclaimAfterMs, limit: CLAIMS_AT_ONCE, keptMs: settings.retentionMs },
    });
    return {
      nowMs,
      claimed: rows.flatMap((row) => {
        if (row[0] !== 'claimed') return [];
        const [, member, job, claims, owner] = row;
        return { member, job, claims, owner };
      }),
      damaged: damagedMembers(rows),
    };
  }
}
