import { remoteAgentId, type Scope } from '@switchyard/store';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { accepted, agentMessage, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import type { FoundTask, TaskFilter, TaskSearchPage } from '../src/index.ts';

const redis = testRedis();
const store = await testStore({ shards: 3 });
const modes = { defaultInputModes: [], defaultOutputModes: [], supportedInterfaces: [], capabilities: {} };
const card = { name: 'Echo', description: 'Echoes.', version: '1', skills: [], ...modes };
const agents = ['echo', 'kitchen'].map((id) => ({ id, card, repliesWithMessage: false, concurrency: 1 }));
await store.registry.announce(agents, 'w');
afterAll(() => store.registry.withdraw(agents, 'w'));

const globex: Scope = { principal: { tenant: 'globex', subject: 'carol', scopes: [] }, agent: 'kitchen' };
const oven = { ...alice, agent: remoteAgentId('https://oven.example.com/card.json') };

type State = FoundTask['state'];
const state = (name: string): State => `TASK_STATE_${name}` as State;
interface CreatedTask {
  readonly taskId: string;
  readonly contextId: string;
  readonly scope: Scope;
  readonly state: State;
}

/** Creates a task, and brings it into this state. */
async function create(scope: Scope, stateName: string, contextId?: string): Promise<CreatedTask> {
  const message = userMessage(`to be ${stateName}`, contextId === undefined ? {} : { contextId });
  const task = await accepted(store, scope, message);
  const created = { taskId: task.taskId, contextId: task.contextId, scope, state: state(stateName) };
  if (stateName === 'SUBMITTED') return created;
  const turn = await begun(store, task.taskId);
  await turn.publish({ kind: 'status', state: state('WORKING'), settles: false });
  if (stateName === 'WORKING') return created;
  await turn.publish({ kind: 'status', state: state(stateName), settles: true, message: agentMessage('done') });
  return created;
}

const made: CreatedTask[] = [];
for (const scope of [alice, bob, globex, oven])
  for (const name of ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'COMPLETED'])
    made.push(
      await create(scope, name, name === 'FAILED' ? undefined : `${scope.principal.subject} and ${scope.agent}`),
    );
const first = made[0]?.taskId ?? '';

const search = (filter: TaskFilter, pageSize = 100, pageToken = ''): Promise<TaskSearchPage> =>
  store.ops.searchTasks({ ...filter, pageSize, pageToken, hasText: false });
const idsOf = ({ tasks }: Pick<TaskSearchPage, 'tasks'>) => tasks.map(({ taskId }) => taskId);

const matches = (task: CreatedTask, filter: TaskFilter): boolean => {
  const { principal, agent } = task.scope;
  const own: TaskFilter = { id: task.taskId, contextId: task.contextId, agent, ...principal };
  const named = ['id', 'contextId', 'agent', 'tenant', 'subject'] as const;
  const isRemote = filter.agent === '@remote' && agent.startsWith('@http');
  return (
    named.every((name) => filter[name] === undefined || filter[name] === own[name] || (name === 'agent' && isRemote)) &&
    (filter.states ?? [task.state]).includes(task.state)
  );
};

const optional = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const filters = fc.record({
  agent: optional('echo', 'kitchen', '@remote', oven.agent, 'unknown'),
  states: optional<readonly State[]>(
    [state('SUBMITTED')],
    [state('WORKING'), state('COMPLETED')],
    [state('SUBMITTED'), state('WORKING')],
    [state('FAILED')],
  ),
  tenant: optional('acme', 'globex'),
  subject: optional('alice', 'bob', 'carol'),
  contextId: optional('alice and echo', 'carol and kitchen', 'another', made[4]?.contextId ?? ''),
  id: fc.option(fc.constantFrom(first, made[8]?.taskId ?? '', 'no-task'), { nil: undefined, freq: 8 }),
});

test('a search with any filters finds exactly the matching tasks, in pages of any size', async () => {
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 30 }), async (filter, pageSize) => {
      const found: FoundTask[] = [];
      let pageToken = '';
      do {
        const page = await search(filter, pageSize, pageToken);
        expect(page.isPartial).toBe(false);
        expect(page.totalSize).toBe(made.filter((task) => matches(task, filter)).length);
        found.push(...page.tasks);
        pageToken = page.nextPageToken;
      } while (pageToken);
      const expected = made.filter((task) => matches(task, filter)).map(({ taskId }) => taskId);
      expect(idsOf({ tasks: found }).sort()).toEqual(expected.sort());
      expect(found.map(({ at }) => at)).toEqual(
        found
          .map(({ at }) => at)
          .sort()
          .reverse(),
      );
    }),
    { numRuns: 150 },
  );
});

test('a found task has its owner, its state, and with hasText the text of its first message', async () => {
  const { tasks } = await store.ops.searchTasks({ id: made[3]?.taskId, pageSize: 1, hasText: true });
  expect(tasks).toEqual([
    {
      taskId: made[3]?.taskId,
      contextId: 'alice and echo',
      agent: 'echo',
      tenant: 'acme',
      subject: 'alice',
      state: 'TASK_STATE_COMPLETED',
      at: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      attempts: 0,
      inbox: 0,
      text: 'to be COMPLETED',
    },
  ]);
});

test('since and until compare the time by which the list is ordered, and are inclusive', async () => {
  const { tasks } = await search({});
  const at = tasks[10]?.at ?? '';
  const until = await search({ until: at });
  const since = await search({ since: at });
  expect(until.tasks.every((task) => task.at <= at)).toBe(true);
  expect(since.tasks.every((task) => task.at >= at)).toBe(true);
  expect(idsOf(until)).toContain(tasks[10]?.taskId);
  expect(idsOf(since)).toContain(tasks[10]?.taskId);
  expect(until.totalSize + since.totalSize).toBe(made.length + tasks.filter((task) => task.at === at).length);
});

test('sorted by cost, the dearest tasks come first, in pages, then those that cost nothing, latest first', async () => {
  const spend = async (amounts: { readonly microUsd?: number; readonly unpricedCalls?: number }): Promise<string> => {
    const turn = await begun(store, (await accepted(store, bob)).taskId);
    await turn.recordUsage({ model: 'm', inputTokens: 1, ...amounts });
    return turn.start.taskId;
  };
  const cheap = await spend({ microUsd: 900 });
  const dear = await spend({ microUsd: 2_000_000 });
  const unpriced = await spend({ unpricedCalls: 1 });
  for (const filter of [{}, { agent: 'echo' }, { tenant: 'acme', subject: 'bob' }]) {
    const first = await search({ ...filter, sort: 'cost' }, 1);
    const rest = await search({ ...filter, sort: 'cost' }, 100, first.nextPageToken);
    const tasks = [...first.tasks, ...rest.tasks];
    expect(tasks.slice(0, 2)).toMatchObject([
      { taskId: dear, microUsd: 2_000_000 },
      { taskId: cheap, microUsd: 900 },
    ]);
    expect(tasks.find(({ taskId }) => taskId === unpriced)).toMatchObject({ unpricedCalls: 1 });
    const { tasks: latest, totalSize } = await search(filter);
    expect([tasks.length, rest.totalSize]).toEqual([totalSize, totalSize]);
    expect(idsOf({ tasks: tasks.slice(2) })).toEqual(
      idsOf({ tasks: latest }).filter((id) => id !== dear && id !== cheap),
    );
    expect(tasks.map(({ at }) => at).sort()).toEqual(latest.map(({ at }) => at).sort());
  }
  for (const taskId of [cheap, dear, unpriced]) await store.ops.tasks.cancel(taskId);
});

test('a task keeps its position in the list while it works, and moves to the front when it ends', async () => {
  const { taskId } = await accepted(store, bob);
  const turn = await begun(store, taskId);
  const listed = async () =>
    (await search({ id: undefined, agent: 'echo', tenant: 'acme' })).tasks.find((task) => task.taskId === taskId);
  const before = await listed();
  await turn.publish({ kind: 'status', state: state('WORKING'), settles: false });
  expect(await listed()).toMatchObject({ state: 'TASK_STATE_WORKING', at: before?.at });
  await turn.publish({ kind: 'status', state: state('COMPLETED'), settles: true });
  const { tasks } = await search({ agent: 'echo' });
  expect(tasks[0]).toMatchObject({ taskId, state: 'TASK_STATE_COMPLETED' });
  expect(tasks[0]?.at).toBe(tasks[0]?.updatedAt);
  await store.tasks.delete(bob, taskId);
  expect(idsOf(await search({ agent: 'echo' }))).not.toContain(taskId);
});

test('all ended tasks leave the index after their retention, open ones stay', async () => {
  const shortLived = await testStore({ retentionMs: 50, replayMs: 50 });
  await shortLived.registry.announce(agents, 'w');
  const open = await accepted(shortLived, alice);
  const { prefix } = shortLived.settings;
  const ended = Array.from({ length: 1_200 }, (_, n) => ['0', `C0000000${n}`]).flat();
  await redis.zadd(`${prefix}{s0}:a:echo`, ...ended);
  await shortLived.agentIndexes.trim();
  expect(await redis.zrange(`${prefix}{s0}:a:echo`, '0', '-1')).toEqual([
    expect.stringMatching(`^o.{8}${open.taskId}$`),
  ]);
});
