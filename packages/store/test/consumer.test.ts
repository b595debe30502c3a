import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { accepted } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();

test('BullMQ keeps few of its own events, which nobody reads', async () => {
  const store = await testStore();
  let done = 0;
  const run = async (): Promise<'done'> => {
    done++;
    return 'done';
  };
  const consumer = store.turns.consume({ agent: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  for (let n = 0; n < 150; n++) await accepted(store, alice);
  await until(() => done === 150, { what: 'all jobs done' });
  await consumer.stop();
  expect(await redis.xlen(`${store.settings.prefix}{s0}:q:echo:events`)).toBeLessThan(250);
});
