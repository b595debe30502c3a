import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { BullBoardRequest, IServerAdapter } from '@bull-board/api/typings/app';
import type { Priority } from '@switchyard/protocol';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { ownerOf } from '../src/deployment/scope.ts';
import type { Store } from '../src/index.ts';
import { accepted, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { queueOf } from './support/runs.ts';

// bull-board is the page that users of BullMQ open on their queues. Here its own handlers read and change ours.

const redis = testRedis();

interface Job {
  readonly id: string;
  readonly name: string;
  readonly data: string;
  readonly priority: number;
}

interface Listing {
  readonly queues: readonly { counts: Record<string, number>; isPaused: boolean; jobs: readonly Job[] }[];
}

type Ask = (route: string, params?: Record<string, string>) => Promise<{ status?: number; body: unknown }>;

/** bull-board on the queue of agent `echo`, without a web server. */
function boardOf({ settings }: Store): { readonly ask: Ask; readonly list: () => Promise<Listing['queues'][0]> } {
  const queue = new Queue('echo', { connection: redis, prefix: `${settings.prefix}{s0}:q`, skipMetasUpdate: true });
  onTestFinished(() => queue.close());
  const adapter = new BullMQAdapter(queue);
  type Routes = Parameters<IServerAdapter['setApiRoutes']>[0];
  let routes: Routes = [];
  const serverAdapter: IServerAdapter = {
    setQueues: () => serverAdapter,
    setViewsPath: () => serverAdapter,
    setStaticPath: () => serverAdapter,
    setEntryRoute: () => serverAdapter,
    setErrorHandler: () => serverAdapter,
    setUIConfig: () => serverAdapter,
    setApiRoutes(all) {
      routes = all;
      return serverAdapter;
    },
  };
  createBullBoard({ queues: [adapter], serverAdapter, options: { uiBasePath: '.' } });
  const ask: Ask = async (route, params = {}) => {
    const found = routes.find((each) => each.route === route);
    if (!found) throw new Error(`bull-board has no ${route}`);
    const request: BullBoardRequest = {
      queues: new Map([['echo', adapter]]),
      uiConfig: {},
      query: { activeQueue: 'echo', status: 'prioritized', page: '1', jobsPerPage: '10' },
      params: { queueName: 'echo', ...params },
      body: {},
      headers: {},
    };
    const { status, body } = await found.handler(request);
    return { body, ...(status !== undefined && { status }) };
  };
  const list = async () => {
    const { queues } = (await ask('/api/queues')).body as Listing;
    return queues[0] ?? { counts: {}, isPaused: false, jobs: [] };
  };
  return { ask, list };
}

test('bull-board shows how many jobs wait, and each of them', async () => {
  const store = await testStore();
  const board = boardOf(store);
  const tasks = [await accepted(store, alice), await accepted(store, alice)];
  const { counts, jobs } = await board.list();
  expect(counts).toMatchObject({ prioritized: 2, waiting: 0, delayed: 0, failed: 0, completed: 0 });
  expect(jobs.map(({ id }) => id).toSorted()).toEqual(tasks.map(({ taskId }) => `${taskId}.1`).toSorted());
  expect(jobs).toMatchObject([
    { name: 'turn', data: {}, priority: 4 },
    { name: 'turn', data: {}, priority: 4 },
  ]);
});

test('our counts by priority add up to those of bull-board, also while jobs wait for a place, or run', async () => {
  const store = await testStore();
  const board = boardOf(store);
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  const sent = { high: 2, normal: 3, low: 4 };
  for (const [priority, count] of Object.entries(sent))
    for (let n = 0; n < count; n++)
      await store.tasks.accept(alice, { message: userMessage(), priority: priority as Priority });
  const awaited = await store.queue.add(ownerOf(alice), { taskId: 'awaited', job: 1 }, { isAwaited: true });
  expect(awaited).toBe('added');
  // As parked.lua does with those that wait for a place.
  const parked = await redis.zrange(`${root}prioritized`, '0', '5');
  for (const id of parked) await redis.zincrby(`${root}prioritized`, 2 ** 40, id);
  const first = await store.queue.counts('echo');
  expect(first.levels).toEqual({ first: 1, ...sent });
  const { counts } = await board.list();
  expect(first.waiting).toBe((counts.prioritized ?? 0) + (counts.waiting ?? 0));
  await queueOf(store, redis).take({ taker: 'taker', number: 0, count: 2, kinds: 'any' });
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 8, active: 2, delayed: 0 });
  expect((await board.list()).counts).toMatchObject({ prioritized: 8, delayed: 0 });
});

test('bull-board pauses a queue, whose jobs wait until it resumes the queue', async () => {
  const store = await testStore();
  const board = boardOf(store);
  await board.ask('/api/queues/:queueName/pause');
  expect((await board.list()).isPaused).toBe(true);
  const { taskId } = await accepted(store, alice);
  const ran: string[] = [];
  const consumer = store.turns.consume({
    queue: 'echo',
    concurrency: 1,
    run: async (job) => {
      ran.push(job.taskId);
      return 'done';
    },
    onError: () => undefined,
  });
  await consumer.start();
  onTestFinished(() => consumer.stop());
  expect((await board.list()).counts).toMatchObject({ prioritized: 1 });
  expect(ran).toEqual([]);
  await board.ask('/api/queues/:queueName/resume');
  await until(() => ran.length > 0, { what: 'the job runs' });
  expect(ran).toEqual([taskId]);
});

test('bull-board cannot retry a job, and a job that it removes is added again', async () => {
  const store = await testStore({ sweepAfterMs: 0 });
  const board = boardOf(store);
  const { taskId } = await accepted(store, alice);
  const jobId = `${taskId}.1`;
  expect(await board.ask('/api/queues/:queueName/:jobId/retry', { jobId })).toMatchObject({ status: 400 });
  await board.ask('/api/queues/:queueName/:jobId/clean', { jobId });
  expect((await board.list()).counts).toMatchObject({ prioritized: 0 });
  await store.outbox.sweep();
  expect((await board.list()).jobs).toMatchObject([{ id: jobId }]);
});
