import { setTimeout as delay } from 'node:timers/promises';
import { startProgram } from '../../../tests/support/process.ts';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import { until } from '../../../tests/support/until.ts';
import type { Stage } from '../../bench/measure/stage.ts';
import type { Cost, idlers, Named } from './figures.ts';
import { costOf, dividedBy, info, minus, number, type Watched, watchedOn } from './meter.ts';

const SECONDS = 4;
/** Every heartbeat comes once in it. */
const STREAM_SECONDS = 15;
const STREAMS = 3_000;
const SHARDS = 65;

interface Idle {
  readonly idle: Named<typeof idlers, Cost>;
  readonly sizes: Record<'streamAtGateway' | 'streamAtRedis', number>;
}

/** What is used when nothing happens. */
export async function measureIdle(stage: Stage): Promise<Idle> {
  const worker = minus(await perSecond(watchedOn(stage)), await withoutWorker(stage));
  const gateway = await perSecond(watchedOn(stage));
  const workerShard = await shardOfWorker(stage, gateway);
  const streams = await idleStreams(stage);
  return {
    idle: { gateway, worker: { ...worker, gateway: 0 }, workerShard, stream: streams.cost },
    sizes: { streamAtGateway: streams.atGateway, streamAtRedis: streams.atRedis },
  };
}

async function perSecond(watched: Watched, seconds = SECONDS): Promise<Cost> {
  return dividedBy(await costOf(watched, () => delay(seconds * 1_000)), seconds);
}

async function withoutWorker(stage: Stage): Promise<Cost> {
  await stage.withoutWorker();
  return perSecond(watchedOn(stage));
}

/** Two workers of deployments of their own, which differ in their shards alone. */
async function shardOfWorker(stage: Stage, gateway: Cost): Promise<Cost> {
  const costs: Cost[] = [];
  for (const shards of [1, SHARDS]) {
    const own = { KEY_PREFIX: `shards${shards}`, SHARDS: String(shards) };
    const worker = await stage.startWorker({ LOG_LEVEL: 'info', ...own });
    await worker.waitFor(/"msg":"started"/, 30_000);
    await delay(1_000); // what happens at the start alone
    costs.push(minus(await perSecond({ ...watchedOn(stage), worker: worker.pid }), gateway));
    await worker.stop();
  }
  const [one, many] = costs;
  if (!one || !many) throw new Error('both were measured');
  return { ...dividedBy(minus(many, one), SHARDS - 1), gateway: 0 };
}

/**
 * Without a worker, so that the tasks have no events. At a fresh gateway: memory of earlier work would hide what
 * streams add.
 */
async function idleStreams(stage: Stage) {
  const gateway = await stage.freshGateway();
  const watched = { ...watchedOn(stage), gateway: gateway.pid };
  const idle = await perSecond(watched);
  const before = residentBytes(gateway.pid);
  const args = [JSON.stringify({ url: gateway.url, subscribers: STREAMS, messages: 0 })];
  const clients = await startProgram({ file: 'workshop/bench/drivers/subscribers.ts', args });
  await clients.waitFor(/subscribed/, 60_000);
  await delay(2_000);
  const cost = dividedBy(minus(await perSecond(watched, STREAM_SECONDS), idle), STREAMS);
  const atGateway = (residentBytes(gateway.pid) - before) / STREAMS;
  const withStreams = await usedMemory(stage);
  await clients.stop();
  // Some channels stay: those of tasks that gateways expect.
  await until(async () => (await channels(stage)) < STREAMS / 10, { what: 'all streams are closed' });
  const atRedis = (withStreams - (await usedMemory(stage))) / STREAMS;
  await gateway.stop();
  return { cost, atGateway, atRedis };
}

async function usedMemory({ redis }: Stage): Promise<number> {
  return number(await info(redis), 'used_memory');
}

async function channels({ redis }: Stage): Promise<number> {
  return number(await info(redis), 'pubsub_channels');
}
