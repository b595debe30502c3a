import { setTimeout as delay } from 'node:timers/promises';
import { startProgram } from '../../../tests/support/process.ts';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import { until } from '../../../tests/support/until.ts';
import type { Cost, idlers, Named } from '../figures.ts';
import { info, number } from './ask-redis.ts';
import { type Deployment, startGateway, startWorker } from './deployment.ts';
import { costOf, dividedBy, minus, type Watched } from './meter.ts';

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
export async function measureIdle(deployment: Deployment): Promise<Idle> {
  const worker = minus(await perSecond(deployment.watched), await withoutWorker(deployment));
  const gateway = await perSecond(deployment.watched);
  const workerShard = await shardOfWorker(deployment, gateway);
  const streams = await idleStreams(deployment);
  return {
    idle: { gateway, worker: { ...worker, gateway: 0 }, workerShard, stream: streams.cost },
    sizes: { streamAtGateway: streams.atGateway, streamAtRedis: streams.atRedis },
  };
}

async function perSecond(watched: Watched, seconds = SECONDS): Promise<Cost> {
  return dividedBy(await costOf(watched, () => delay(seconds * 1_000)), seconds);
}

async function withoutWorker(deployment: Deployment): Promise<Cost> {
  await deployment.withoutWorker();
  return perSecond(deployment.watched);
}

/** Two workers of deployments of their own, which differ in their shards alone. */
async function shardOfWorker({ redisUrl, watched }: Deployment, gateway: Cost): Promise<Cost> {
  const costs: Cost[] = [];
  for (const shards of [1, SHARDS]) {
    const worker = await startWorker(redisUrl, { KEY_PREFIX: `shards${shards}`, SHARDS: String(shards) });
    await delay(1_000); // what happens at the start alone
    costs.push(minus(await perSecond({ ...watched, worker: worker.pid }), gateway));
    await worker.stop();
  }
  const [one, many] = costs;
  if (!one || !many) throw new Error('both were measured');
  return { ...dividedBy(minus(many, one), SHARDS - 1), gateway: 0 };
}

/**
 * No worker runs: nothing ever happens to their tasks. Of a gateway that has done nothing before: what it has left in its memory
 * would hide what streams add.
 */
async function idleStreams(deployment: Deployment) {
  const { redisUrl } = deployment;
  const gateway = await startGateway(redisUrl);
  const watched = { ...deployment.watched, gateway: gateway.pid };
  const idle = await perSecond(watched);
  const before = residentBytes(gateway.pid);
  const args = [gateway.url, String(STREAMS)];
  const clients = await startProgram({ file: 'workshop/capacity/drivers/idle-streams.ts', args });
  await clients.waitFor(/subscribed/, 60_000);
  await delay(2_000);
  const cost = dividedBy(minus(await perSecond(watched, STREAM_SECONDS), idle), STREAMS);
  const atGateway = (residentBytes(gateway.pid) - before) / STREAMS;
  const withStreams = await usedMemory(redisUrl);
  await clients.stop();
  // Some channels stay: those of tasks that gateways expect.
  await until(async () => (await channels(redisUrl)) < STREAMS / 10, { what: 'all streams are closed' });
  const atRedis = (withStreams - (await usedMemory(redisUrl))) / STREAMS;
  await gateway.stop();
  return { cost, atGateway, atRedis };
}

async function usedMemory(redisUrl: string): Promise<number> {
  return number(await info(redisUrl), 'used_memory');
}

async function channels(redisUrl: string): Promise<number> {
  return number(await info(redisUrl), 'pubsub_channels');
}
