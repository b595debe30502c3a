import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import { until } from '../../../tests/support/until.ts';
import { idleSubscribers } from '../../bench/drive.ts';
import type { Stage } from '../../bench/stage.ts';
import type { Cost, idlers, Named } from '../figures.ts';
import type { Effort } from './effort.ts';
import { costOf, dividedBy, info, minus, number, type Watched, watchedOn } from './meter.ts';

const STREAMS = 3_000;
const SHARDS = 65;

interface Idle {
  readonly idle: Named<typeof idlers, Cost>;
  readonly sizes: Record<'streamAtGateway' | 'streamAtRedis', number>;
}

/** The cost of idle processes and streams. */
export async function measureIdle(stage: Stage, effort: Effort): Promise<Idle> {
  const { idleSeconds } = effort;
  const withWorker = await perSecond(watchedOn(stage), idleSeconds);
  await stage.withoutWorker();
  const worker = minus(withWorker, await perSecond(watchedOn(stage), idleSeconds));
  const gateway = await perSecond(watchedOn(stage), idleSeconds);
  const workerShard = await shardOfWorker(stage, gateway, idleSeconds);
  const { cost: stream, ...sizes } = await idleStreams(stage, effort);
  return { idle: { gateway, worker: { ...worker, gateway: 0 }, workerShard, stream }, sizes };
}

async function perSecond(watched: Watched, seconds: number): Promise<Cost> {
  return dividedBy(await costOf(watched, () => delay(seconds * 1_000)), seconds);
}

/** Two workers of separate deployments, which differ only in their shards. */
async function shardOfWorker(stage: Stage, gateway: Cost, seconds: number): Promise<Cost> {
  const costWith = async (shards: number): Promise<Cost> => {
    const own = { KEY_PREFIX: `shards${shards}`, SHARDS: String(shards) };
    const worker = await stage.startWorker({ LOG_LEVEL: 'info', ...own });
    await worker.waitFor(/"event":"started"/, 30_000);
    await delay(1_000); // without the work at the start
    const cost = minus(await perSecond({ ...watchedOn(stage), worker: worker.pid }, seconds), gateway);
    await worker.stop();
    return cost;
  };
  const one = await costWith(1);
  return { ...dividedBy(minus(await costWith(SHARDS), one), SHARDS - 1), gateway: 0 };
}

/**
 * Without a worker, so that the tasks have no events. At a fresh gateway, since free memory from earlier work would
 * hide the increase.
 */
async function idleStreams(stage: Stage, { idleSeconds, streamSeconds }: Effort) {
  const gateway = await stage.freshGateway();
  const watched = { ...watchedOn(stage), gateway: gateway.pid };
  const infoOf = async (name: string): Promise<number> => number(await info(stage.redis), name);
  const idle = await perSecond(watched, idleSeconds);
  const before = residentBytes(gateway.pid);
  const clients = await idleSubscribers({ url: gateway.url, subscribers: STREAMS });
  const cost = dividedBy(minus(await perSecond(watched, streamSeconds), idle), STREAMS);
  const streamAtGateway = (residentBytes(gateway.pid) - before) / STREAMS;
  const withStreams = await infoOf('used_memory');
  await clients.stop();
  // The channels of pre-subscriptions stay.
  await until(async () => (await infoOf('pubsubshard_channels')) < STREAMS / 10, { what: 'all streams are closed' });
  const streamAtRedis = (withStreams - (await infoOf('used_memory'))) / STREAMS;
  await gateway.stop();
  return { cost, streamAtGateway, streamAtRedis };
}
