import { Conversations } from '@switchyard/conversations';
import { Webhooks } from '@switchyard/push';
import type { OpenTurn, Scope, Store } from '@switchyard/store';
import { expect, test } from 'vitest';
import { accepted, agentMessage, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis, testStore } from '../../../tests/support/store/redis.ts';

const redis = testRedis();
/** A tenant whose name begins like that of alice's tenant, and has a special character of key patterns. */
const neighbour: Scope = { principal: { tenant: 'acme*', subject: 'eve', scopes: [] }, agent: 'echo' };

const completed = {
  kind: 'status',
  state: 'TASK_STATE_COMPLETED',
  settles: true,
  message: agentMessage('done'),
} as const;

async function busyTenant(store: Store, scope: Scope): Promise<OpenTurn> {
  const { taskId } = await accepted(store, scope, userMessage('hello', { contextId: `context of ${scope.agent}` }));
  const turn = await begun(store, taskId);
  await store.memory.write(turn, '"remembered"');
  const id = await new Conversations(store.inside).open(turn, { seed: 'one', toAgent: 'kitchen', maxTurns: 3 });
  await new Conversations(store.inside).append(turn, id, {
    seq: 1,
    event: { phase: 'turn' },
    nextTurn: 1,
    isEnd: false,
  });
  await new Webhooks(store.inside).create(scope, taskId, { id: 'hook', url: 'https://client.example.com/hook' });
  return turn;
}

const keysNaming = async ({ settings }: Store, name: string): Promise<string[]> =>
  (await redis.keys(`${settings.prefix}*`)).filter((key) => key.includes(`:${name}/`) || key.endsWith(`:${name}`));

test('tenants are listed with the numbers of their principals, tasks and memories', async () => {
  const store = await testStore({ shards: 4 });
  await busyTenant(store, alice);
  await accepted(store, bob);
  await accepted(store, neighbour);
  expect(await store.ops.tenants.list()).toEqual([
    { id: 'acme', principals: 2, tasks: 2, openTasks: 2, memories: 1 },
    { id: 'acme*', principals: 1, tasks: 1, openTasks: 1, memories: 0 },
  ]);
});

test.each([1, 4])(
  'deleting a tenant deletes all its data, and nothing of other tenants (%i shards)',
  async (shards) => {
    const store = await testStore({ shards, maxBytesOfTenant: 1_000_000 });
    const turn = await busyTenant(store, alice);
    await (await busyTenant(store, { ...bob, agent: 'kitchen' })).publish(completed);
    for (let n = 0; n < 30; n++) await accepted(store, bob);
    await busyTenant(store, neighbour);
    const keysOfNeighbour = (await keysNaming(store, 'acme*')).sort();
    const { credential } = await store.credentials.create({ tenant: 'acme', subject: 'alice', scopes: [] });

    const first = await store.ops.tenants.delete('acme');
    expect(first).toEqual({ deletedTasks: 31, tasksLeft: 1, isComplete: false });
    expect((await store.credentials.find(credential.id))?.revokedAt).toBeDefined();
    expect(await store.ops.tenants.memories('acme')).toHaveLength(2);

    await turn.publish(completed);
    expect(await store.ops.tenants.delete('acme')).toEqual({ deletedTasks: 1, tasksLeft: 0, isComplete: true });
    expect(await keysNaming(store, 'acme')).toEqual([]);
    expect((await store.ops.tenants.list()).map(({ id }) => id)).toEqual(['acme*']);
    expect((await keysNaming(store, 'acme*')).sort()).toEqual(keysOfNeighbour);
    expect(await store.ops.tenants.delete('acme')).toEqual({ deletedTasks: 0, tasksLeft: 0, isComplete: true });
    expect(await store.ops.tenants.delete('unknown')).toBeUndefined();
  },
);

test('a task that is created while its tenant is deleted is deleted completely or not at all', async () => {
  const store = await testStore({ shards: 1 });
  const deletions: Promise<unknown>[] = [];
  const send = (contextId: string) => {
    const message = userMessage('hello', { contextId });
    return accepted(store, alice, message).then(({ taskId }) => ({ taskId, message, contextId }));
  };
  const sent = [];
  for (let n = 0; n < 150; n++) {
    if (n % 3 === 0) deletions.push(store.ops.tenants.delete('acme'));
    sent.push(await send(`context ${n}`));
  }
  let areDeletionsDone = false;
  const ended = Promise.all(deletions).then(() => {
    areDeletionsDone = true;
  });
  for (let n = 150; !areDeletionsDone; n++) sent.push(await send(`context ${n}`));
  await ended;
  let kept = 0;
  await Promise.all(
    sent.map(async ({ taskId, message, contextId }) => {
      if ((await store.ops.tasks.record(taskId)) === undefined) return;
      kept++;
      expect((await accepted(store, alice, message)).taskId).toBe(taskId);
      expect((await store.tasks.list(alice, { contextId, pageSize: 10 })).totalSize).toBe(1);
    }),
  );
  expect(kept).toBeGreaterThan(0);
});

test('the memory of an agent in a context can be listed and deleted', async () => {
  const store = await testStore();
  await busyTenant(store, alice);
  const [memory, ...others] = await store.ops.tenants.memories('acme');
  expect([memory, others]).toEqual([{ subject: 'alice', agent: 'echo', contextId: 'context of echo' }, []]);
  if (!memory) return;
  expect(await store.ops.tenants.deleteMemory('other', memory)).toBe(false);
  expect(await store.ops.tenants.deleteMemory('acme', memory)).toBe(true);
  expect(await store.ops.tenants.deleteMemory('acme', memory)).toBe(false);
  expect(await store.ops.tenants.memories('acme')).toEqual([]);
});
