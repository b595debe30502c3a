import { setTimeout as delay } from 'node:timers/promises';
import { type Consumer, Store, type TurnJob } from '@switchyard/store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { keepBudget } from './support/keep.ts';
import { readCounts } from './support/redis-info.ts';

// What Redis does while turns only run.

const turns = 600;
const scope = { principal: { tenant: 'default', subject: 'someone', scopes: [] }, agent: 'echo' };

let redis: TestRedis;
let store: Store;
let consumer: Consumer<TurnJob>;
const ended = Promise.withResolvers<void>();
let begun = 0;

beforeAll(async () => {
  redis = await startRedis({ appendOnly: true });
  store = new Store({ redisUrl: redis.url, prefix: 'running' }, () => undefined);
  await store.start();
  consumer = store.turns.consume({
    queue: 'echo',
    concurrency: turns,
    onError: () => undefined,
    async run(job) {
      await job.begin({ onCancel: () => undefined, onFenced: () => undefined });
      begun++;
      await ended.promise;
      return 'done';
    },
  });
  await consumer.start();
  await Promise.all(Array.from({ length: turns }, () => store.tasks.accept(scope, { message: userMessage('work') })));
  await until(() => begun === turns, { what: 'all turns run', timeoutMs: 30_000 });
});

afterAll(async () => {
  ended.resolve();
  await consumer.stop();
  await store.stop();
  await redis.stop();
});

it('turns that only run stay within their budget', async () => {
  const [before, since] = [await readCounts(redis.url), performance.now()];
  // Renewals are periodic, and can only be waited for.
  await delay(5_000);
  const after = await readCounts(redis.url);
  const perSecond = (name: 'commands' | 'fileBytes'): number =>
    ((after[name] - before[name]) * 1_000) / (performance.now() - since);
  expect(begun).toBe(turns);
  keepBudget('commandsOfRunningTurns', perSecond('commands'));
  keepBudget('fileBytesOfRunningTurns', perSecond('fileBytes'));
});
