import { setTimeout as delay } from 'node:timers/promises';
import type { Priority } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import type { Acceptance, Scope, Store } from '../../src/index.ts';
import { accepted, begun, userMessage } from '../support/drive.ts';
import { alice, bob, testRedis, testStore } from '../support/redis.ts';

const redis = testRedis();
const eve: Scope = { principal: { tenant: 'evil', subject: 'eve', scopes: [] }, agent: 'echo' };

async function verdictOf(
  store: Store,
  scope: Scope,
  message = userMessage(),
  priority?: Priority,
): Promise<Acceptance['verdict']> {
  return (await store.tasks.accept(scope, { message, priority })).verdict;
}

/** Sends messages until one is refused: the number of accepted ones, and the verdict of the last. */
async function fill(
  store: Store,
  scope: Scope,
  most = 20,
  priority?: Priority,
): Promise<[number, Acceptance['verdict']]> {
  for (let n = 0; n < most; n++) {
    const verdict = await verdictOf(store, scope, userMessage(), priority);
    if (verdict !== 'accepted') return [n, verdict];
  }
  return [most, 'accepted'];
}

async function complete(store: Store, taskId: string): Promise<void> {
  const turn = await begun(store, taskId);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
}

/** The number of open tasks of each tenant, as the store counts them. */
const countedAsOpen = (store: Store): Promise<Record<string, string>> =>
  redis.hgetall(`${store.settings.prefix}{s0}:outbox:open`);

describe('a principal with maxOpenTasks open tasks at an agent', () => {
  test('is refused there; other principals and other agents are not affected', async () => {
    const store = await testStore({ maxOpenTasks: 3 });
    expect(await fill(store, alice)).toEqual([3, 'too-many-open']);
    expect(await verdictOf(store, bob)).toBe('accepted');
    expect(await verdictOf(store, { ...alice, agent: 'other' })).toBe('accepted');
  });

  test('can create another task as soon as one has ended', async () => {
    const store = await testStore({ maxOpenTasks: 2 });
    const { taskId } = await accepted(store, alice);
    await complete(store, (await accepted(store, alice)).taskId);
    expect(await fill(store, alice)).toEqual([1, 'too-many-open']);
    await store.tasks.cancel(alice, taskId);
    expect(await fill(store, alice)).toEqual([1, 'too-many-open']);
  });

  test('cannot exceed the limit with concurrent messages', async () => {
    const store = await testStore({ maxOpenTasks: 5 });
    const verdicts = await Promise.all(Array.from({ length: 40 }, () => verdictOf(store, alice)));
    expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(5);
  });

  test('is not refused for its ended tasks, however many messages arrive at once', async () => {
    const store = await testStore({ maxOpenTasks: 10 });
    for (let n = 0; n < 8; n++) await complete(store, (await accepted(store, alice)).taskId);
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => verdictOf(store, alice)));
    expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(10);
  });

  test('can repeat an accepted message, and gets the same answer', async () => {
    const store = await testStore({ maxOpenTasks: 1 });
    const message = userMessage();
    const [one, same] = await Promise.all([verdictOf(store, alice, message), verdictOf(store, alice, message)]);
    expect([one, same, await verdictOf(store, alice, message)]).toEqual(['accepted', 'accepted', 'accepted']);
    const refused = userMessage();
    const twice = await Promise.all([verdictOf(store, alice, refused), verdictOf(store, alice, refused)]);
    expect(twice).toEqual(['too-many-open', 'too-many-open']);
  });

  test('can continue its open tasks', async () => {
    const store = await testStore({ maxOpenTasks: 1, maxWaiting: 1 });
    const { taskId } = await accepted(store, alice);
    expect(await verdictOf(store, alice, userMessage('and', { taskId }))).toBe('accepted');
  });

  test('shares the limit maxOpenTasksOfTenant with its tenant; other tenants are not affected', async () => {
    const store = await testStore({ maxOpenTasksOfTenant: 4 });
    await accepted(store, bob);
    const { taskId } = await accepted(store, alice);
    expect(await fill(store, alice)).toEqual([2, 'too-many-open-of-tenant']);
    expect(await verdictOf(store, bob)).toBe('too-many-open-of-tenant');
    expect(await verdictOf(store, eve)).toBe('accepted');
    await store.tasks.cancel(alice, taskId);
    expect(await verdictOf(store, bob)).toBe('accepted');
  });
});

describe('a principal with maxKeptTasks ended tasks', () => {
  test('loses its oldest ended tasks for new ones, and nothing else', async () => {
    const store = await testStore({ maxKeptTasks: 4, retentionMinMs: 0 });
    const waiting = await accepted(store, alice);
    const turn = await begun(store, waiting.taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    const [first, second, third] = [
      await accepted(store, alice),
      await accepted(store, alice),
      await accepted(store, alice),
    ];
    for (const { taskId } of [first, second, third]) await complete(store, taskId);
    // A task can go when it ended more than a millisecond ago.
    await delay(5);
    const message = userMessage();
    const [one, again] = await Promise.all([verdictOf(store, alice, message), verdictOf(store, alice, message)]);
    expect([one, again]).toEqual(['accepted', 'accepted']);
    const kept = async () => (await store.tasks.list(alice, { pageSize: 9 })).totalSize;
    expect(await kept()).toBe(4);
    expect(await store.tasks.read(alice, first.taskId)).toBeUndefined();
    expect((await store.tasks.read(alice, second.taskId))?.state).toBe('TASK_STATE_COMPLETED');
    const verdicts = await Promise.all([1, 2, 3].map(() => verdictOf(store, alice)));
    expect(verdicts.sort()).toEqual(['accepted', 'accepted', 'too-many-kept']);
    expect(await kept()).toBe(4);
    expect((await store.tasks.read(alice, waiting.taskId))?.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  test('is refused while its ended tasks are younger than retentionMinMs', async () => {
    const store = await testStore({ maxKeptTasks: 1, retentionMinMs: 400 });
    await complete(store, (await accepted(store, alice)).taskId);
    expect(await verdictOf(store, alice)).toBe('too-many-kept');
    await expect.poll(() => verdictOf(store, alice)).toBe('accepted');
  });

  test('is refused until tasks expire, with makeRoomAtPercent 0', async () => {
    const store = await testStore({ maxKeptTasks: 2, retentionMs: 300, retentionMinMs: 0, makeRoomAtPercent: 0 });
    await accepted(store, { ...alice, agent: 'other' });
    await complete(store, (await accepted(store, alice)).taskId);
    const open = await accepted(store, alice);
    expect(await fill(store, alice)).toEqual([0, 'too-many-kept']);
    await expect.poll(() => verdictOf(store, alice)).toBe('accepted');
    expect((await store.tasks.read(alice, open.taskId))?.state).toBe('TASK_STATE_SUBMITTED');
  });

  test('is not refused for tasks that have expired, however many messages arrive at once', async () => {
    const store = await testStore({ maxKeptTasks: 10, retentionMs: 300 });
    for (let n = 0; n < 8; n++) await complete(store, (await accepted(store, alice)).taskId);
    const open = await accepted(store, alice);
    const total = async () => (await store.tasks.list(alice, { pageSize: 1 })).totalSize;
    await expect.poll(total).toBe(1);
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => verdictOf(store, alice)));
    expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(9);
    expect((await store.tasks.read(alice, open.taskId))?.state).toBe('TASK_STATE_SUBMITTED');
  });

  test('can create a task after it has deleted one', async () => {
    const store = await testStore({ maxKeptTasks: 1 });
    const { taskId } = await accepted(store, alice);
    await complete(store, taskId);
    expect(await verdictOf(store, alice)).toBe('too-many-kept');
    await store.tasks.delete(alice, taskId);
    expect(await verdictOf(store, alice)).toBe('accepted');
  });
});

describe('a tenant with maxBytesOfTenant bytes', () => {
  test('is refused for new and for open tasks, until the bytes are older than the retention of tasks', async () => {
    const store = await testStore({ maxBytesOfTenant: 20_000, retentionMs: 400 });
    const large = 'x'.repeat(15_000);
    const { taskId } = await accepted(store, alice, userMessage(large));
    expect(await verdictOf(store, alice, userMessage(large))).toBe('too-many-bytes-of-tenant');
    expect(await verdictOf(store, alice, userMessage(large, { taskId }))).toBe('too-many-bytes-of-tenant');
    expect(await verdictOf(store, bob, userMessage('small'))).toBe('accepted');
    expect(await verdictOf(store, eve, userMessage(large))).toBe('accepted');
    await expect.poll(() => verdictOf(store, alice, userMessage(large))).toBe('accepted');
  });

  test('is not charged for a message that is refused for another reason', async () => {
    const store = await testStore({ maxBytesOfTenant: 100_000, maxWaiting: 1 });
    const large = (): Promise<Acceptance['verdict']> => verdictOf(store, alice, userMessage('x'.repeat(15_000)));
    expect(await large()).toBe('accepted');
    const elsewhere = { ...alice, agent: 'other' };
    const verdicts = await Promise.all([large(), large(), verdictOf(store, elsewhere), large()]);
    expect(verdicts).toEqual(['overloaded', 'overloaded', 'accepted', 'overloaded']);
    const counts = await redis.hvals(`${store.settings.prefix}{s0}:outbox:bytes:acme`);
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBeLessThan(32_000);
  });

  test('is charged for results of steps, also when a rerun copies them', async () => {
    const store = await testStore({ maxBytesOfTenant: 40_000 });
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    for (const name of ['a', 'b']) {
      await store.steps.begin(turn, `step ${name}`);
      await store.steps.end(turn, `step ${name}`, JSON.stringify('x'.repeat(name === 'a' ? 15_000 : 1)));
    }
    await turn.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true });
    const rerun = (messageId: string) => store.ops.tasks.rerun(taskId, { messageId, fromStep: 'b', operator: 'ops' });
    expect(await rerun('once')).toMatchObject({ verdict: 'started' });
    expect(await rerun('twice')).toEqual({ verdict: 'refused', why: 'too-many-bytes-of-tenant' });
    expect(await verdictOf(store, alice, userMessage('x'.repeat(10_000)))).toBe('too-many-bytes-of-tenant');
    expect(await verdictOf(store, eve, userMessage('x'.repeat(10_000)))).toBe('accepted');
  });

  test('is counted in a key that expires', async () => {
    const store = await testStore({ maxBytesOfTenant: 40_000, retentionMs: 8_000 });
    await accepted(store, alice);
    const ttl = await redis.pttl(`${store.settings.prefix}{s0}:outbox:bytes:acme`);
    expect(ttl).toBeGreaterThan(8_000);
    expect(ttl).toBeLessThanOrEqual(9_000);
  });
});

describe('an agent with maxWaiting waiting messages', () => {
  test('refuses further messages, except one of each tenant that has none waiting', async () => {
    const store = await testStore({ maxWaiting: 3 });
    expect(await fill(store, alice)).toEqual([3, 'overloaded']);
    const two = await Promise.all([verdictOf(store, eve), verdictOf(store, eve)]);
    expect(two.sort()).toEqual(['accepted', 'overloaded']);
    expect(await fill(store, eve)).toEqual([0, 'overloaded']);
    expect(await verdictOf(store, { ...eve, agent: 'other' })).toBe('accepted');
  });

  test.each(['low', 'high'] as const)('refuses further messages of priority %s, too', async (priority) => {
    const store = await testStore({ maxWaiting: 3 });
    expect(await fill(store, alice, 20, priority)).toEqual([3, 'overloaded']);
    expect(await verdictOf(store, eve)).toBe('accepted');
    expect(await fill(store, eve)).toEqual([0, 'overloaded']);
  });

  test('says when to retry, also while no turn begins', async () => {
    const store = await testStore({ maxWaiting: 1 });
    await accepted(store, alice);
    const next = (): Promise<Acceptance> => store.tasks.accept(alice, { message: userMessage() });
    expect(await next()).toEqual({ verdict: 'overloaded', retryAfterSeconds: 1 });
    await expect.poll(next, { interval: 120 }).toEqual({ verdict: 'overloaded', retryAfterSeconds: 60 });
  });

  test('counts also the jobs that gateways of earlier releases put into the list `wait`', async () => {
    const store = await testStore({ maxWaiting: 4 });
    await redis.lpush(`${store.settings.prefix}{s0}:q:echo:wait`, 'old-1.1', 'old-2.1');
    expect(await fill(store, alice)).toEqual([2, 'overloaded']);
  });

  test('accepts an answer to its question', async () => {
    const store = await testStore({ maxWaiting: 1 });
    const { taskId } = await accepted(store, bob);
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    expect(await fill(store, alice)).toEqual([0, 'overloaded']);
    expect(await verdictOf(store, bob, userMessage('the answer', { taskId }))).toBe('accepted');
  });

  test('accepts at most maxWaiting messages of tenants that have none waiting', async () => {
    const store = await testStore({ maxWaiting: 3 });
    await fill(store, alice);
    const tenants = Array.from({ length: 10 }, (_, n) => ({
      ...eve,
      principal: { ...eve.principal, tenant: `evil-${n}` },
    }));
    const verdicts = await Promise.all(tenants.map((each) => verdictOf(store, each)));
    expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(3);
  });
});

describe('with maxQueueWaitMs, an agent', () => {
  test('accepts the first 16 messages of a burst, because its speed is not yet known', async () => {
    const store = await testStore({ maxQueueWaitMs: 1_000 });
    // All at once: on a busy machine the speed would be known before the last of a row.
    const verdicts = await Promise.all(Array.from({ length: 40 }, () => verdictOf(store, alice)));
    expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(16);
    expect(new Set(verdicts)).toEqual(new Set(['accepted', 'overloaded']));
  });

  test('refuses messages while no turn begins, and says when to retry', async () => {
    const store = await testStore({ maxQueueWaitMs: 1_000 });
    await fill(store, alice, 5);
    const next = (): Promise<Acceptance> => store.tasks.accept(bob, { message: userMessage() });
    await expect.poll(next, { interval: 120 }).toEqual({ verdict: 'overloaded', retryAfterSeconds: 60 });
  });
});

test('the counts of open tasks are right after every kind of end', async () => {
  const store = await testStore({ maxAttempts: 1 });
  const scopes = [alice, bob, eve];
  const taskIds: [Scope, string][] = [];
  for (let n = 0; n < 30; n++) {
    const scope = scopes[n % 3] ?? alice;
    taskIds.push([scope, (await accepted(store, scope)).taskId]);
  }
  expect(await countedAsOpen(store)).toEqual({ acme: '20', evil: '10' });
  const states = ['COMPLETED', 'FAILED', 'REJECTED', 'INPUT_REQUIRED'] as const;
  for (const [n, [scope, taskId]] of taskIds.entries()) {
    if (n % 5 === 4) await store.tasks.cancel(scope, taskId);
    else {
      const turn = await begun(store, taskId);
      await turn.publish({ kind: 'status', state: `TASK_STATE_${states[n % 5] ?? 'COMPLETED'}`, settles: true });
    }
    await store.tasks.cancel(scope, taskId);
    if (n % 2 === 0) await store.tasks.delete(scope, taskId);
  }
  expect(await countedAsOpen(store)).toEqual({ acme: '0', evil: '0' });
});
