import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@switchyard/store';
import type { Stage } from '../measure/stage.ts';
import type { BenchCase } from './bench-case.ts';
import { BenchTask, bytesOf } from './bench-task.ts';

const TASKS = 500;

export const memory: BenchCase = {
  id: 'memory',
  title:
    'Redis memory of a finished small task: 2 messages, 5 events, one 200 B artifact, indexes included, its stream expired',
  async run(stage) {
    await stage.withoutWorker();
    await stage.redis.flushall();
    const settings = { redisUrl: stage.redisUrl, prefix: 'memory', replayMs: 1 };
    const store = new Store(settings, (error) => process.stderr.write(`${error.message}\n`));
    await store.start();
    for (let i = 0; i < TASKS; i++) await (await BenchTask.small(store)).complete('Your pizza is on its way.');
    await delay(3_000); // Redis takes expired streams away
    const kilobytes = (await bytesOfTasks(stage)) / TASKS / 1_000;
    await store.stop();
    await stage.clear();
    const values = { Switchyard: [kilobytes] };
    return { unit: 'kB', values, ratios: {}, ours: 'Switchyard', bars: [{ at: 'most', value: 2.5 }] };
  },
};

/**
 * Every key that the tasks left, names and entries in the key space included. Not the jobs: nobody has worked them off
 * here, and a worker takes them away. (The memory of the whole Redis would count the buffers of its file and clients.)
 */
async function bytesOfTasks({ redis }: Stage): Promise<number> {
  const keys = (await redis.keys('memory{s0}:*')).filter((key) => !key.startsWith('memory{s0}:q:'));
  return bytesOf(redis, keys);
}
