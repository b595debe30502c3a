import { afterAll, expect, test } from 'vitest';
import { accepted, agentMessage, begun } from '../../../tests/support/store/drive.ts';
import { testLedger, testRedis, testStore } from '../../../tests/support/store/redis.ts';

const redis = testRedis();
const ledger = await testLedger();
const store = await testStore({ shards: 2, redisUrl: ledger.url });
const modes = { defaultInputModes: [], defaultOutputModes: [], supportedInterfaces: [], capabilities: {} };
const card = { name: 'An agent', description: 'Does it.', version: '1', skills: [], ...modes };
const agent = (id: string) => ({ id, card, repliesWithMessage: false, concurrency: 1 });
const agents = ['ready', 'paused', 'left'].map(agent);
await store.registry.announce(agents, 'w');
afterAll(() => store.registry.withdraw(agents, 'w'));
const scope = (id: string) => ({ principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: id });
const idsOf = (tasks: readonly { readonly taskId: string }[]): string[] => tasks.map(({ taskId }) => taskId).sort();
const stuck = async (): Promise<string[]> =>
  idsOf((await store.ops.searchTasks({ stuck: true, pageSize: 100, hasText: false })).tasks);
const report = { agents: ['ready'], upForMs: 0, isDraining: false };

test('all is well while every message has a worker', async () => {
  await accepted(store, scope('ready'));
  const overview = await store.ops.overview();
  expect(overview).toMatchObject({ waiting: 1, stuck: 0, interrupted: 0, agents: 3, troubles: [], troubledAgents: 0 });
  expect(overview.failures).toEqual({ total: 0, counted: 0, reasons: [] });
  expect(await stuck()).toEqual([]);
});

test('messages of a paused agent, and of an agent without a worker, are stuck', async () => {
  await store.ops.agents.pause('paused');
  const waiting = [await accepted(store, scope('paused')), await accepted(store, scope('left'))];
  await store.registry.withdraw([agent('left')], 'w');
  const overview = await store.ops.overview();
  expect(overview).toMatchObject({ stuck: 2, troubledAgents: 2 });
  expect(overview.troubles).toMatchObject([
    { agent: 'left', kind: 'no-worker', waiting: 1 },
    { agent: 'paused', kind: 'paused', waiting: 1 },
  ]);
  expect(await stuck()).toEqual(idsOf(waiting));
  const ofOne = { stuck: true, agent: 'paused', pageSize: 100, hasText: false };
  expect((await store.ops.searchTasks(ofOne)).totalSize).toBe(1);
  await store.ops.agents.resume('paused');
  expect((await store.ops.overview()).stuck).toBe(1);
});

test('a task is stuck while its worker is silent, and not after another one has taken it over', async () => {
  const task = await accepted(store, scope('ready'));
  await begun(store, task.taskId);
  const turns = [{ taskId: task.taskId, epoch: 1, runsForMs: 10 }];
  await store.ops.workers.report('frozen', { ...report, turns });
  await redis.zadd(`${store.settings.prefix}{agents}:workers`, Date.now() - 6_000, 'frozen');
  const [reading] = await store.ops.agents.list('ready');
  expect(reading).toMatchObject({ frozenTurns: 1 });
  expect(await stuck()).toContain(task.taskId);
  expect((await store.ops.overview()).troubles[0]).toMatchObject({ agent: 'ready', kind: 'worker-silent' });
  await begun(store, task.taskId, { started: 2 });
  expect((await store.ops.agents.list('ready'))[0]).toMatchObject({ frozenTurns: 0 });
  expect(await stuck()).not.toContain(task.taskId);
});

test('failures of the last hour are counted, and questions with the longest first', async () => {
  for (const state of [
    'TASK_STATE_FAILED',
    'TASK_STATE_FAILED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_INPUT_REQUIRED',
  ] as const) {
    const { taskId } = await accepted(store, scope('ready'));
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state, settles: true, message: agentMessage('so it is') });
  }
  const { failures, interrupted, longestInterrupted } = await store.ops.overview();
  expect([failures.total, failures.counted]).toEqual([3, 3]);
  expect(failures.reasons.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  expect([interrupted, longestInterrupted.length]).toEqual([1, 1]);
});

test('a task that ends while the questions are read is left out', async () => {
  const [asks = '', ended = ''] = await Promise.all(
    (['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED'] as const).map(async (state) => {
      const { taskId } = await accepted(store, scope('ready'));
      const turn = await begun(store, taskId);
      await turn.publish({ kind: 'status', state, settles: true, message: agentMessage('so it is') });
      return taskId;
    }),
  );
  // As the list was read before the end.
  const list = store.inside.shards.of(ended).interrupted;
  await redis.zadd(list, Date.now(), ended);
  const { items } = await store.ops.listInterrupted({ pageSize: 100, contents: true });
  await redis.zrem(list, ended);
  expect(items.find(({ taskId }) => taskId === asks)).toMatchObject({ question: 'so it is' });
  expect(idsOf(items)).not.toContain(ended);
});

test('an overview costs the same with ten and with hundreds of tasks', async () => {
  const cost = async (): Promise<number> => (await ledger.during(() => store.ops.overview())).commands.length;
  await cost();
  const before = await cost();
  for (let i = 0; i < 200; i++) await accepted(store, scope('ready'));
  expect(await cost()).toBe(before);
});

test('a damaged task does not keep operators from the others', async () => {
  const own = await testStore({ sweepAfterMs: 0 });
  const owner = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'echo' };
  const [sound, damaged] = await Promise.all([accepted(own, owner), accepted(own, owner)]);
  await redis.set(`${own.settings.prefix}{s0}:t:${damaged.taskId}`, 'no record');
  // The task is overdue from its second millisecond on.
  await expect
    .poll(async () => (await own.ops.listStuck({ pageSize: 10 })).items)
    .toMatchObject([{ taskId: sound.taskId }]);
});
