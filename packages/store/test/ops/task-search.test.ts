import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type FoundTask, remoteAgentId, type Scope, type TaskFilter, type TaskSearchPage } from '../../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from '../support/drive.ts';
import { alice, bob, testRedis, testStore } from '../support/redis.ts';

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
const state = (word: string): State => `TASK_STATE_${word}` as State;
interface Made {
  readonly taskId: string;
  readonly contextId: string;
  readonly scope: Scope;
  readonly state: State;
}

/** A task in this state, in the way of all tasks. */
async function make(scope: Scope, word: string, contextId?: string): Promise<Made> {
  const message = userMessage(`to be ${word}`, contextId === undefined ? {} : { contextId });
  const task = await accepted(store, scope, message);
  const its = { taskId: task.taskId, contextId: task.contextId, scope, state: state(word) };
  if (word === 'SUBMITTED') return its;
  const turn = await begun(store, task.taskId);
  await turn.publish({ kind: 'status', state: state('WORKING'), settles: false });
  if (word === 'WORKING') return its;
  await turn.publish({ kind: 'status', state: state(word), settles: true, message: agentMessage('so be it') });
  return its;
}

const made: Made[] = [];
for (const scope of [alice, bob, globex, oven])
  for (const word of ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'COMPLETED'])
    made.push(await make(scope, word, word === 'FAILED' ? undefined : `${scope.principal.subject} and ${scope.agent}`));
const first = made[0]?.taskId ?? '';

const search = (filter: TaskFilter, pageSize = 100, pageToken = ''): Promise<TaskSearchPage> =>
  store.ops.searchTasks({ ...filter, pageSize, pageToken, hasText: false });
const idsOf = ({ tasks }: Pick<TaskSearchPage, 'tasks'>) => tasks.map(({ taskId }) => taskId);

const isOf = (task: Made, filter: TaskFilter): boolean => {
  const { principal, agent } = task.scope;
  const its: TaskFilter = { id: task.taskId, contextId: task.contextId, agent, ...principal };
  const named = ['id', 'contextId', 'agent', 'tenant', 'subject'] as const;
  const isRemote = filter.agent === '@remote' && agent.startsWith('@http');
  return (
    named.every((name) => filter[name] === undefined || filter[name] === its[name] || (name === 'agent' && isRemote)) &&
    (filter.states ?? [task.state]).includes(task.state)
  );
};

const one = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const filters = fc.record({
  agent: one('echo', 'kitchen', '@remote', oven.agent, 'nobody'),
  states: one<readonly State[]>(
    [state('SUBMITTED')],
    [state('WORKING'), state('COMPLETED')],
    [state('SUBMITTED'), state('WORKING')],
    [state('FAILED')],
  ),
  tenant: one('acme', 'globex'),
  subject: one('alice', 'bob', 'carol'),
  contextId: one('alice and echo', 'carol and kitchen', 'another', made[4]?.contextId ?? ''),
  id: fc.option(fc.constantFrom(first, made[8]?.taskId ?? '', 'no-task'), { nil: undefined, freq: 8 }),
});

test('whatever is asked for is found, all of it and nothing else, in pages of any size', async () => {
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 30 }), async (filter, pageSize) => {
      const found: FoundTask[] = [];
      let pageToken = '';
      do {
        const page = await search(filter, pageSize, pageToken);
        expect(page.isPartial).toBe(false);
        expect(page.totalSize).toBe(made.filter((task) => isOf(task, filter)).length);
        found.push(...page.tasks);
        pageToken = page.nextPageToken;
      } while (pageToken);
      const expected = made.filter((task) => isOf(task, filter)).map(({ taskId }) => taskId);
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

test('a row says whose task it is, what has become of it, and if asked how it began', async () => {
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

test('times are of the place in the list, and inclusive', async () => {
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

test('while it works a task keeps its place; when it stops it goes to the front', async () => {
  const { taskId } = await accepted(store, bob);
  const turn = await begun(store, taskId);
  const place = async () =>
    (await search({ id: undefined, agent: 'echo', tenant: 'acme' })).tasks.find((task) => task.taskId === taskId);
  const before = await place();
  await turn.publish({ kind: 'status', state: state('WORKING'), settles: false });
  expect(await place()).toMatchObject({ state: 'TASK_STATE_WORKING', at: before?.at });
  await turn.publish({ kind: 'status', state: state('COMPLETED'), settles: true });
  const { tasks } = await search({ agent: 'echo' });
  expect(tasks[0]).toMatchObject({ taskId, state: 'TASK_STATE_COMPLETED' });
  expect(tasks[0]?.at).toBe(tasks[0]?.updatedAt);
  await store.tasks.delete(bob, taskId);
  expect(idsOf(await search({ agent: 'echo' }))).not.toContain(taskId);
});

test('a task that was there before the index comes into it when it moves', async () => {
  const old = await accepted(store, { ...alice, agent: 'kitchen' });
  const [key = ''] = await redis.keys(`${store.settings.prefix}*:t:${old.taskId}`);
  const listed = await redis.hget(key, 'listed');
  await redis.zrem(`${key.split(':t:')[0]}:a:kitchen`, `o${listed}${old.taskId}`);
  await redis.hdel(key, 'listed');
  const turn = await begun(store, old.taskId);
  await turn.publish({ kind: 'status', state: state('INPUT_REQUIRED'), settles: true });
  expect(idsOf(await search({ agent: 'kitchen' }))[0]).toBe(old.taskId);
});

test('ended tasks leave the index after their retention, however many, and those that go on stay', async () => {
  const brief = await testStore({ retentionMs: 50, replayMs: 50 });
  await brief.registry.announce(agents, 'w');
  const stays = await accepted(brief, alice);
  const { prefix } = brief.settings;
  const ended = Array.from({ length: 1_200 }, (_, n) => ['0', `C0000000${n}`]).flat();
  await redis.zadd(`${prefix}{s0}:a:echo`, ...ended);
  await brief.agentIndexes.trim();
  expect(await redis.zrange(`${prefix}{s0}:a:echo`, '0', '-1')).toEqual([
    expect.stringMatching(`^o.{8}${stays.taskId}$`),
  ]);
});

test('index entries of earlier versions are corrected, for tasks that were ended, deleted or continued', async () => {
  const old = await testStore();
  await old.registry.announce(agents, 'w');
  const { prefix } = old.settings;
  const index = `${prefix}{s0}:a:echo`;
  const entryOf = async (taskId: string): Promise<string> => {
    const entries = await redis.zrange(index, '0', '-1');
    return entries.find((entry) => entry.endsWith(taskId)) ?? '';
  };
  const open = await accepted(old, alice);
  const [ended, deleted] = [await accepted(old, alice), await accepted(old, alice)];
  for (const { taskId } of [ended, deleted]) {
    const entry = await entryOf(taskId);
    await old.tasks.cancel(alice, taskId);
    // As it was before: they knew no such index.
    await redis.zrem(index, await entryOf(taskId));
    await redis.zadd(index, '0', entry);
    await redis.hset(`${prefix}{s0}:t:${taskId}`, 'listed', entry.slice(1, 9));
  }
  await redis.zadd(index, '0', `i00000000${open.taskId}`, '0', `o00000000${deleted.taskId}`);
  const gone = await accepted(old, alice);
  await redis.del(`${prefix}{s0}:t:${gone.taskId}`);
  await old.tasks.delete(alice, deleted.taskId);
  await old.agentIndexes.trim();
  const letters = (await redis.zrange(index, '0', '-1')).map((each) => each[0] + each.slice(9));
  expect(letters.sort()).toEqual([`X${ended.taskId}`, `o${open.taskId}`]);
});

test('a task is deleted with its entry, also if that was left behind', async () => {
  const old = await testStore();
  await old.registry.announce(agents, 'w');
  const index = `${old.settings.prefix}{s0}:a:echo`;
  const { taskId } = await accepted(old, alice);
  const [entry = ''] = await redis.zrange(index, '0', '-1');
  await old.tasks.cancel(alice, taskId);
  await redis.del(index);
  await redis.zadd(index, '0', entry);
  await redis.hset(`${old.settings.prefix}{s0}:t:${taskId}`, 'listed', entry.slice(1, 9));
  await old.tasks.delete(alice, taskId);
  expect(await redis.zrange(index, '0', '-1')).toEqual([]);
});

test('many entries are looked at a part at a time, and all of them in turn', async () => {
  const old = await testStore();
  await old.registry.announce(agents, 'w');
  const index = `${old.settings.prefix}{s0}:a:echo`;
  const ids = Array.from({ length: 1_200 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  await redis.zadd(index, ...ids.flatMap((id) => ['0', `o00000000${id}`]));
  const left = [];
  for (let n = 0; n < 3; n++) {
    await old.agentIndexes.trim();
    left.push(await redis.zcard(index));
  }
  expect(left).toEqual([700, 200, 0]);
});
