import { randomUUID } from 'node:crypto';
import { Conversations } from '@switchyard/conversations';
import type { TurnEvent } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import { type OpenTurn, type Scope, TurnFenced } from '../../src/index.ts';
import { accepted, beginTurn, begun, userMessage } from '../support/drive.ts';
import { alice, testRedis, testStore } from '../support/redis.ts';

const store = await testStore({ maxCalls: 3 });
const redis = testRedis();
const kitchen: Scope = { ...alice, agent: 'kitchen' };

const ended = (state: 'COMPLETED' | 'FAILED' | 'CANCELED' | 'REJECTED'): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles: true,
});

async function hostTurn(): Promise<OpenTurn> {
  const { taskId } = await accepted(store, alice);
  return begun(store, taskId);
}

async function call(turn: OpenTurn, { messageId = randomUUID(), isDetached = false, taskId = '' } = {}) {
  const { contextId = '' } = turn.start.task;
  const message = userMessage('cook', { messageId, contextId, ...(taskId && { taskId }) });
  const placement = await store.calls.place(turn, { agent: 'kitchen', submission: { message }, isDetached });
  if (placement.verdict !== 'accepted') throw new Error(placement.verdict);
  return placement;
}

const stateOf = async (taskId: string): Promise<string | undefined> =>
  (await store.tasks.read(kitchen, taskId))?.state.replace('TASK_STATE_', '');

/** Ends all orphans, and returns their number. */
async function endOrphans(): Promise<number> {
  let count = 0;
  for (let more = 1; more > 0; count += more) more = await store.orphans.end(new Conversations(store.inside));
  return count;
}

describe('a call', () => {
  test('creates a task of the called agent, for the principal of the turn, with its caller and depth', async () => {
    const host = await hostTurn();
    const { taskId, contextId } = await call(host);
    expect(contextId).toBe(host.start.task.contextId);
    const turn = await begun(store, taskId);
    const { principal, agent, caller } = turn.start;
    expect([principal.tenant, principal.subject, agent]).toEqual(['acme', 'alice', 'kitchen']);
    expect(caller).toEqual({ taskId: host.start.taskId, agent: 'echo', depth: 1 });
    const deeper = await store.calls.place(turn, {
      agent: 'oven',
      submission: { message: userMessage('heat', { contextId }) },
      isDetached: false,
    });
    if (deeper.verdict !== 'accepted') throw new Error(deeper.verdict);
    expect((await begun(store, deeper.taskId)).start.caller?.depth).toBe(2);
  });

  test('with the same message id is a duplicate of the first call', async () => {
    const host = await hostTurn();
    const messageId = randomUUID();
    const first = await call(host, { messageId });
    const again = await call(await begun(store, host.start.taskId, { started: 2 }), { messageId });
    expect([again.taskId, again.isDuplicate]).toEqual([first.taskId, true]);
  });

  test('of a turn that was taken over is refused, and creates no task', async () => {
    const fenced = await hostTurn();
    await begun(store, fenced.start.taskId, { started: 2 });
    await expect(call(fenced)).rejects.toThrow(TurnFenced);
    const { contextId } = fenced.start.task;
    expect((await store.tasks.list(kitchen, { contextId, pageSize: 5 })).totalSize).toBe(0);
  });

  test('is refused while its caller is being canceled, and when maxCalls calls have not ended', async () => {
    const host = await hostTurn();
    const first = await call(host);
    await call(host);
    await call(host);
    await expect(call(host)).rejects.toThrow('too-many-calls');
    await store.calls.forget(host, first.taskId);
    await call(host);
    await store.tasks.cancel(alice, host.start.taskId);
    await expect(call(host)).rejects.toThrow('caller-canceling');
  });

  test('is not refused because of calls that have ended, although their caller did not wait for them', async () => {
    const host = await hostTurn();
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => call(host, { isDetached: true })));
    await (await begun(store, first?.taskId ?? '')).publish(ended('COMPLETED'));
    await store.tasks.cancel(kitchen, second?.taskId ?? '');
    const later = [await call(host, { isDetached: true }), await call(host)];
    await expect(call(host)).rejects.toThrow('too-many-calls');
    await host.publish(ended('FAILED'));
    expect(await endOrphans()).toBe(3);
    const states = await Promise.all([third, ...later].map((one) => stateOf(one?.taskId ?? '')));
    expect(states).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
  });

  test('can continue the task of an earlier call', async () => {
    const host = await hostTurn();
    const { taskId } = await call(host);
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    const next = await call(host, { taskId });
    expect([next.taskId, next.number]).toEqual([taskId, 2]);
  });
});

describe('a called task', () => {
  test.each([
    ['FAILED', 'CANCELED', 'CANCELED'],
    ['REJECTED', 'CANCELED', 'CANCELED'],
    ['CANCELED', 'CANCELED', 'CANCELED'],
    ['COMPLETED', 'CANCELED', 'SUBMITTED'],
  ] as const)(
    'of a caller that ends %s becomes %s if it is awaited, and %s if it is detached',
    async (state, awaited, detached) => {
      const host = await hostTurn();
      const calls = [await call(host), await call(host, { isDetached: true })];
      await host.publish(ended(state));
      await endOrphans();
      expect(await Promise.all(calls.map(({ taskId }) => stateOf(taskId)))).toEqual([awaited, detached]);
    },
  );

  test('is canceled without a worker when a client cancels the caller between two turns', async () => {
    const host = await hostTurn();
    const { taskId } = await call(host);
    await host.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    expect(await store.tasks.cancel(alice, host.start.taskId)).toBe('canceled');
    expect(await endOrphans()).toBe(1);
    expect(await stateOf(taskId)).toBe('CANCELED');
  });

  test('is canceled when the caller has crashed in all its attempts', async () => {
    const host = await hostTurn();
    const { taskId } = await call(host);
    await begun(store, host.start.taskId, { started: 2 });
    await begun(store, host.start.taskId, { started: 3 });
    expect(await beginTurn(store, { taskId: host.start.taskId, started: 4 })).toBe('exhausted');
    await endOrphans();
    expect(await stateOf(taskId)).toBe('CANCELED');
  });

  test('is canceled together with the tasks that it has called', async () => {
    const host = await hostTurn();
    const child = await call(host);
    const childTurn = await begun(store, child.taskId);
    const grandchild = await call(childTurn);
    await host.publish(ended('FAILED'));
    await endOrphans();
    // The child has a running turn, which ends it itself.
    await childTurn.publish(ended('CANCELED'));
    await endOrphans();
    expect(await stateOf(grandchild.taskId)).toBe('CANCELED');
  });

  test('is canceled by one of several processes, and by another if that one crashes', async () => {
    const other = await testStore({ sweepAfterMs: 1, prefix: store.settings.prefix });
    const host = await hostTurn();
    const { taskId } = await call(host);
    await host.publish(ended('FAILED'));
    const key = `${store.settings.prefix}{s0}:outbox:orphans`;
    // A process that crashes after it has claimed the orphan.
    const { claimMembersScript } = await import('../../src/record/claim-members.ts');
    const claim = {
      keys: { set: key, tasksRoot: '' },
      args: { claimMs: 60_000, limit: 10, pastMs: 0, field: '' },
    };
    expect(await claimMembersScript.run(redis, claim)).toHaveLength(3);
    expect(await other.orphans.end(new Conversations(other.inside))).toBe(0);
    await redis.zadd(key, 0, (await redis.zrevrange(key, 0, 0))[0] ?? '');
    const counts = await Promise.all([
      store.orphans.end(new Conversations(store.inside)),
      other.orphans.end(new Conversations(other.inside)),
    ]);
    expect(counts.sort()).toEqual([0, 1]);
    expect(await stateOf(taskId)).toBe('CANCELED');
    expect(await redis.exists(key)).toBe(0);
  });

  test('is canceled together with all other calls of its caller, however many they are', async () => {
    const own = await testStore();
    const host = await begun(own, (await accepted(own, alice)).taskId);
    const { contextId = '' } = host.start.task;
    const submission = () => ({ message: userMessage('cook', { contextId }) });
    const place = () => own.calls.place(host, { agent: 'kitchen', submission: submission(), isDetached: true });
    await Promise.all(Array.from({ length: 250 }, place));
    await host.publish(ended('FAILED'));
    expect(await own.orphans.end(new Conversations(own.inside))).toBe(250);
  });

  test('leaves no key of calls behind when its caller has ended', async () => {
    const host = await hostTurn();
    await call(host, { isDetached: true });
    await host.publish(ended('COMPLETED'));
    expect(await redis.keys(`${store.settings.prefix}*:t:${host.start.taskId}:c`)).toEqual([]);
  });
});

test('the tasks of a context are found for all agents of the same principal, latest first', async () => {
  const host = await hostTurn();
  const { contextId = '' } = host.start.task;
  const child = await call(host);
  const bob = { principal: { ...alice.principal, subject: 'bob' }, agent: 'kitchen' };
  await accepted(store, bob, userMessage('mine', { contextId }));
  const query = { contextId, agents: ['echo', 'kitchen', 'oven'], limit: 10, historyLength: 0 };
  const found = await store.tasks.context(alice.principal, query);
  expect(found.map(({ agent, taskId }) => [agent, taskId]).sort()).toEqual([
    ['echo', host.start.taskId],
    ['kitchen', child.taskId],
  ]);
  await host.publish(ended('COMPLETED'));
  expect((await store.tasks.context(alice.principal, query))[0]?.agent).toBe('echo');
  const others = await store.tasks.context(alice.principal, { ...query, except: host.start.taskId, limit: 1 });
  expect(others.map(({ task }) => JSON.parse(task).status.state)).toEqual(['TASK_STATE_SUBMITTED']);
});
