import { Conversations } from '@switchyard/conversations';
import { Ops } from '@switchyard/operators';
import { Webhooks } from '@switchyard/push';
import { type Deadline, withDeadline } from '@switchyard/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { patience, until } from '../../../tests/support/until.ts';
import { Shards } from '../src/deployment/shards.ts';
import { isOutage, type RequestStore, type Store } from '../src/index.ts';
import { Queues } from '../src/queue/queues.ts';
import { userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startRedis();
  store = await testStore({ redisUrl: server.url });
});
afterAll(() => server.stop());

/** The milliseconds until the answer was refused because of the outage. */
async function msUntilRefused(answer: Promise<unknown>): Promise<number> {
  const since = performance.now();
  await expect(answer).rejects.toSatisfy(isOutage);
  return performance.now() - since;
}

const requestsOfAllKinds = ({ tasks, inside }: RequestStore): readonly Promise<unknown>[] => [
  tasks.read(alice, 'other'),
  tasks.list(alice, { pageSize: 1 }),
  tasks.accept(alice, { message: userMessage() }),
  tasks.accept(alice, { message: { ...userMessage(), taskId: 'any' } }),
  tasks.cancel(alice, 'any'),
  tasks.delete(alice, 'any'),
  new Webhooks(inside).get(alice, 'any', 'any'),
  new Conversations(inside).read(alice.principal, 'any'),
  new Ops({ inside }).listAgents({ pageSize: 1 }),
  new Ops({ inside }).agents.pause('echo'),
  new Ops({ inside }).deadLetters.count(),
];

test('a request waits for a silent Redis until its deadline, and is refused at once in a known outage', async () => {
  const short = store.forRequests(500);
  const long = store.forRequests(6_000);
  await testRedis(server.url).call('CLIENT', 'PAUSE', '8000');

  const withoutDeadline = store.tasks.read(alice, 'any');
  const [early, late] = [short.tasks.read(alice, 'any'), long.tasks.read(alice, 'any')];
  const lateRefusedAfter = msUntilRefused(late);
  const waitedMs = await msUntilRefused(early);
  expect(waitedMs).toBeGreaterThan(450);
  expect(waitedMs).toBeLessThan(1_500 * patience);

  await until(() => !store.isAnswering, { what: 'the outage is noticed' });
  for (const requests of [short, long])
    for (const ms of await Promise.all(requestsOfAllKinds(requests).map(msUntilRefused)))
      expect(ms).toBeLessThan(200 * patience);

  expect(await lateRefusedAfter).toBeGreaterThan(5_900);
  expect(await withoutDeadline).toBeUndefined();
  await until(() => store.isAnswering, { what: 'the outage is over' });
  expect(await long.tasks.list(alice, { pageSize: 1 })).toMatchObject({ totalSize: 0 });
});

/** A health check that returns what the function returns. */
const healthOf = (isAnswering: () => boolean): Deadline['health'] => ({
  get isAnswering() {
    return isAnswering();
  },
  isAnsweringFor: isAnswering,
});

test('a queue that is first used in an outage works afterwards', async () => {
  let isAway = true;
  const requests = withDeadline(testRedis(server.url), { ms: 500, health: healthOf(() => !isAway) });
  const queue = new Queues(requests, new Shards(uniquePrefix(), 2));
  await msUntilRefused(queue.counts('echo'));
  isAway = false;
  await queue.add('acme/alice/echo', { taskId: 'task', job: 1 });
  expect(await queue.counts('echo')).toMatchObject({ waiting: 1 });
});

test('a queue that is first used while the connection is down refuses in time, and works afterwards', async () => {
  const first = await startRedis();
  const redis = testRedis(first.url);
  await redis.ping();
  await first.kill();
  await until(() => redis.status === 'reconnecting', { what: 'the connection is down' });
  const requests = withDeadline(redis, { ms: 200, health: healthOf(() => true) });
  const queue = new Queues(requests, new Shards(uniquePrefix(), 2));
  expect(await msUntilRefused(queue.counts('echo'))).toBeLessThan(1_500 * patience);
  const again = await startRedis({ port: Number(new URL(first.url).port) });
  try {
    const counts = await until(() => queue.counts('echo'), { what: 'the queue is counted' });
    expect(counts).toMatchObject({ waiting: 0 });
  } finally {
    await again.stop();
  }
});

test('a pipeline is sent or refused as a whole', async () => {
  const redis = testRedis(server.url);
  let checks = 0;
  const health = healthOf(() => checks++ % 2 === 0);
  const requests = withDeadline(redis, { ms: 1_000, health });
  const results = await Promise.all([1, 2].map((n) => requests.pipeline().set(`k${n}`, n).get(`k${n}`).exec()));
  expect(results[0]).toEqual([
    [null, 'OK'],
    [null, '1'],
  ]);
  expect(results[1]?.map(([error]) => error?.name)).toEqual(['RedisUnavailable', 'RedisUnavailable']);
  expect(await redis.echo('next')).toBe('next');
});
