import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { isOutage, type RequestStore, type Store } from '../src/index.ts';
import { Queues } from '../src/queue/queues.ts';
import { type Deadline, withDeadline } from '../src/redis/deadline.ts';
import { Shards } from '../src/redis/shards.ts';
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

/** Redis answers, as long as `answer` says so. */
const healthOf = (answer: () => boolean): Deadline['health'] => ({
  get isAnswering() {
    return answer();
  },
  isAnsweringFor: answer,
});

test('an agent whose queue is first used in an outage has it afterwards', async () => {
  let isAway = true;
  const requests = withDeadline(testRedis(server.url), { ms: 500, health: healthOf(() => !isAway) });
  const queue = new Queues(requests, new Shards(uniquePrefix(), 2));
  await refusedWithin(queue.counts('echo'));
  isAway = false;
  await queue.add('acme/alice/echo', { taskId: 'task', job: 1 });
  expect(await queue.counts('echo')).toMatchObject({ waiting: 1 });
});

test('a queue that is first used while the connection is down is refused in time, and works afterwards', async () => {
  const first = await startRedis();
  const redis = testRedis(first.url);
  await redis.ping();
  await first.kill();
  await until(() => redis.status === 'reconnecting', { what: 'the connection is down' });
  const requests = withDeadline(redis, { ms: 200, health: healthOf(() => true) });
  const queue = new Queues(requests, new Shards(uniquePrefix(), 2));
  expect(await refusedWithin(queue.counts('echo'))).toBeLessThan(1_500);
  const again = await startRedis({ port: Number(new URL(first.url).port) });
  try {
    const counts = await until(() => queue.counts('echo'), { what: 'the queue is counted', timeoutMs: 10_000 });
    expect(counts).toMatchObject({ waiting: 0 });
  } finally {
    await again.stop();
  }
});

test('a pipeline is sent or refused as a whole', async () => {
  const redis = testRedis(server.url);
  let asked = 0;
  const health = healthOf(() => asked++ % 2 === 0);
  const requests = withDeadline(redis, { ms: 1_000, health });
  const results = await Promise.all([1, 2].map((n) => requests.pipeline().set(`k${n}`, n).get(`k${n}`).exec()));
  expect(results[0]).toEqual([
    [null, 'OK'],
    [null, '1'],
  ]);
  expect(results[1]?.map(([error]) => error?.name)).toEqual(['RedisAway', 'RedisAway']);
  expect(await redis.echo('next')).toBe('next');
});
