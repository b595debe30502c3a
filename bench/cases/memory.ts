import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@switchyard/store';
import type { BenchCase } from './bench-case.ts';
import { BenchTask } from './bench-task.ts';

const TASKS = 5_000;

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
    const used = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await stage.redis.info('memory'))?.[1]);
    for (let i = 0; i < 100; i++) await smallTask(store);
    const before = await used();
    for (let i = 0; i < TASKS; i++) await smallTask(store);
    await delay(3_000); // Redis takes expired streams away
    const keys = await stage.redis.keys('memory{s0}:q:*');
    if (keys.length) await stage.redis.del(keys); // nobody has worked off the jobs
    const kilobytes = ((await used()) - before) / TASKS / 1_000;
    await store.stop();
    await stage.clear();
    const values = { Switchyard: [kilobytes] };
    return { unit: 'kB', values, ratios: {}, ours: 'Switchyard', bars: [{ at: 'most', value: 2.5 }] };
  },
};

/** Events: submitted, working, the artifact, another chunk of it, completed with a message. */
async function smallTask(store: Store): Promise<void> {
  const task = await BenchTask.begin(store);
  await task.working();
  await task.chunk('x'.repeat(100));
  await task.chunk('y'.repeat(100));
  await task.complete('Your pizza is on its way.');
}
