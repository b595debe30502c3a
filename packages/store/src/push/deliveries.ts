import { Consumer, type JobOutcome } from '../queue/consumer.ts';
import { type LaneId, parseLane } from '../queue/lane-id.ts';
import { PUSH_QUEUE } from '../queue/queue.ts';
import type { Channels } from '../redis/channels.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { Script } from '../redis/script.ts';
import { OpenLane } from './open-lane.ts';
import { parsePlace } from './place.ts';
import { type PushPort, runOnLane } from './push-port.ts';

const claimLanesScript = new Script('claim-lanes.lua', import.meta.url);
const openLaneScript = new Script('open-lane.lua', import.meta.url);

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

type Reply =
  | ['stale' | 'idle']
  | ['open', configId: string, sealed: string, place: string, attempts: number, ageMs: number];

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
    const reply = (await runOnLane(this.#port, openLaneScript, id, job, token)) as Reply;
    if (reply.length === 1) return reply[0];
    const [, configId, sealed, place, attempts, ageMs] = reply;
    return new OpenLane(this.#port, { id, token, configId, sealed, place: parsePlace(place), attempts, ageMs });
  }

  async #claimShard(keys: ShardKeys): Promise<number> {
    const { redis, queue, settings } = this.#port;
    const args = [keys.tasks, settings.pushLeaseMs, LANES_PER_CLAIM, settings.retentionMs];
    const reply = (await claimLanesScript.run(redis, [keys.push, keys.deadPush], args)) as (string | number)[];
    const adds: Promise<void>[] = [];
    for (let i = 0; i < reply.length; i += 3) {
      const isSuspicious = Number(reply[i + 2]) >= SUSPICIOUS_CLAIMS;
      adds.push(queue.addPush(parseLane(String(reply[i])), Number(reply[i + 1]), { isSuspicious }));
    }
    await Promise.all(adds);
    return adds.length;
  }
}
