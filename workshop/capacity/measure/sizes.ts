import { Store } from '@switchyard/store';
import type { Stage } from '../../bench/stage.ts';
import { BenchTask, bytesOf } from '../../bench/store-task.ts';
import type { Named, sizes } from '../figures.ts';

const TASKS = 200;
const CHUNKS = 2_000;

type Sizes = Omit<Named<typeof sizes, number>, 'streamAtGateway' | 'streamAtRedis'>;

/** Memory of tasks and chunks in Redis, by their keys. */
export async function measureSizes({ redis, redisUrl }: Stage): Promise<Sizes> {
  const store = new Store({ redisUrl, prefix: 'sizes' }, (error) => process.stderr.write(`${error.message}\n`));
  await store.start();
  const bytes = async (pattern: string): Promise<number> => bytesOf(redis, await redis.keys(pattern));
  const running: BenchTask[] = [];
  for (let i = 0; i < TASKS; i++) running.push(await BenchTask.small(store));
  const runningTask = (await bytes('sizes{s0}:*')) / TASKS;
  for (const task of running) await task.complete('Your pizza is on its way.');
  const streamOfTask = (await bytes('sizes{s0}:t:*:e')) / TASKS;
  const messageId = (await bytes('sizes{s0}:m:*')) / TASKS;
  const jobs = (await bytes('sizes{s0}:q:*')) / TASKS;
  const finishedTask = (await bytes('sizes{s0}:*')) / TASKS - streamOfTask - messageId - jobs;
  const chunk = await bytesOfChunk(store, () => bytes('sizes{s0}:t:*:e'));
  await store.stop();
  return { runningTask, streamOfTask, finishedTask, messageId, chunk };
}

async function bytesOfChunk(store: Store, streams: () => Promise<number>): Promise<number> {
  const task = await BenchTask.begin(store);
  await task.chunks(100, 10);
  const before = await streams();
  await task.chunks(CHUNKS, 10);
  return ((await streams()) - before) / CHUNKS;
}
