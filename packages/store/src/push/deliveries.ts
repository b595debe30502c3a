import { Consumer, type JobOutcome } from '../queue/consumer.ts';
import { type LaneId, parseLane } from '../queue/lane-id.ts';
import { PUSH_QUEUE } from '../queue/queue.ts';
import type { Channels } from '../redis/channels.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { integer, list, text, tuple, verdict } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { OpenLane } from './open-lane.ts';
import { parsePlace } from './place.ts';
import { type PushPort, webhookKeys } from './push-port.ts';

const from = import.meta.url;
const claimLanesScript = defineScript({
  file: 'claim-lanes.lua',
  from,
  keys: ['push', 'deadPush', 'tasksRoot'],
  args: ['leaseMs', 'most', 'keptMs'],
  reply: list(tuple(text, integer, integer)),
});
const openLaneScript = defineScript({
  file: 'open-lane.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'lane', 'job', 'token'],
  reply: verdict({ stale: tuple(), idle: tuple(), open: tuple(text, text, text, integer, integer) }),
});

const LANES_PER_CLAIM = 200;
/** Claims without progress after which the queue itself is suspected to have mislaid the job. */
const SUSPICIOUS_CLAIMS = 4;

/** One start of a lane's job by the queue. */
export interface PushJob extends LaneId {
  readonly job: number;
  /** The lock of this start. */
  readonly token: string;
}

export interface PushConsumerOptions {
  /** Webhooks that this process serves at the same time. */
  readonly concurrency: number;
  readonly run: (job: PushJob) => Promise<JobOutcome>;
  readonly onError: (error: Error) => void;
}

/** What a worker does with webhooks that have something to be told. */
export class Deliveries {
  readonly #port: PushPort;
  readonly #channels: Channels;

  constructor(port: PushPort, channels: Channels) {
    this.#port = port;
    this.#channels = channels;
  }

  /** The jobs of all webhooks, to be run by `open` and what follows. */
  consume({ concurrency, run, onError }: PushConsumerOptions): Consumer {
    return new Consumer(this.#port.consumers, {
      agent: PUSH_QUEUE,
      concurrency,
      onError,
      run: ({ taskId: lane, job, token }) => run({ ...parseLane(lane), job, token }),
    });
  }

  /** Jobs that wait for a worker. */
  waiting(): Promise<number> {
    return this.#port.queue.waiting(PUSH_QUEUE);
  }

  /** Hears that there is something to claim. It may miss it: who listens also claims by the clock. */
  async listen(wake: () => void): Promise<void> {
    await Promise.all(this.#port.shards.all.map(({ push }) => this.#channels.subscribe(push, wake)));
  }

  /**
   * Gives a job to each lane that has newly something to be told, or was silent for a lease. Any process may, and
   * several may at once. @returns how many it were
   */
  async claim(): Promise<number> {
    const claimed = await Promise.all(this.#port.shards.all.map((keys) => this.#claimShard(keys)));
    return claimed.reduce((sum, count) => sum + count, 0);
  }

  /** @returns `stale`, `idle`: there is nothing to be told, the job is done */
  async open({ job, token, ...id }: PushJob): Promise<OpenLane | 'stale' | 'idle'> {
    const { redis, shards } = this.#port;
    const args = { ...id, job, token };
    const reply = await openLaneScript.run(redis, { keys: shards.of(id.taskId).webhooks(id.taskId), args });
    if (reply[0] !== 'open') return reply[0];
    const [, configId, sealed, place, attempts, ageMs] = reply;
    return new OpenLane(this.#port, { id, token, configId, sealed, place: parsePlace(place), attempts, ageMs });
  }

  async #claimShard(keys: ShardKeys): Promise<number> {
    const { redis, queue, settings } = this.#port;
    const claimed = await claimLanesScript.run(redis, {
      keys: { push: keys.push, deadPush: keys.deadPush, tasksRoot: keys.tasks },
      args: { leaseMs: settings.pushLeaseMs, most: LANES_PER_CLAIM, keptMs: settings.retentionMs },
    });
    await Promise.all(
      claimed.map(([lane, job, claims]) =>
        queue.addPush(parseLane(lane), job, { isSuspicious: claims >= SUSPICIOUS_CLAIMS }),
      ),
    );
    return claimed.length;
  }
}
