import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { isOutage, type RequestStore, type Store } from '../src/index.ts';
import { userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

vi.setConfig({ testTimeout: 40_000 });

let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startRedis();
  store = await testStore({ redisUrl: server.url });
});
afterAll(() => server.stop());

/** Milliseconds until it was refused for the outage. */
async function refusedWithin(answer: Promise<unknown>): Promise<number> {
  const since = performance.now();
  await expect(answer).rejects.toSatisfy(isOutage);
  return performance.now() - since;
}

const questions = ({ tasks, webhooks, conversations, ops }: RequestStore): readonly Promise<unknown>[] => [
  tasks.read(alice, 'other'),
  tasks.list(alice, { pageSize: 1 }),
  tasks.accept(alice, { message: userMessage() }),
  tasks.accept(alice, { message: { ...userMessage(), taskId: 'any' } }),
  tasks.cancel(alice, 'any'),
  tasks.delete(alice, 'any'),
  webhooks.get(alice, 'any', 'any'),
  conversations.read(alice.principal, 'any'),
  ops.listAgents({ pageSize: 1 }),
  ops.agents.pause('echo'),
  ops.deadLetters.count(),
];

test('a request waits for a silent Redis until its deadline, and not at all when the silence is known', async () => {
  const hasty = store.forRequests(500);
  const slow = store.forRequests(6_000);
  await testRedis(server.url).call('CLIENT', 'PAUSE', '8000');

  const patient = store.tasks.read(alice, 'any');
  const [early, held] = [hasty.tasks.read(alice, 'any'), slow.tasks.read(alice, 'any')];
  const heldUntil = refusedWithin(held);
  const waitedMs = await refusedWithin(early);
  expect(waitedMs).toBeGreaterThan(450);
  expect(waitedMs).toBeLessThan(1_500);

  await until(() => !store.isAnswering, { what: 'the silence is noticed' });
  for (const requests of [hasty, slow])
    for (const ms of await Promise.all(questions(requests).map(refusedWithin))) expect(ms).toBeLessThan(200);

  expect(await heldUntil).toBeGreaterThan(5_900);
  expect(await patient).toBeUndefined();
  await until(() => store.isAnswering, { what: 'it is over' });
  expect(await slow.tasks.list(alice, { pageSize: 1 })).toMatchObject({ totalSize: 0 });
});
