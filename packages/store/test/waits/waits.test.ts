import { suspendedUri, type Task, type TurnEvent } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import { type OpenTurn, type Store, TurnFenced, type WaitRequest } from '../../src/index.ts';
import { accepted, begun, userMessage } from '../support/drive.ts';
import { alice, bob, testRedis, testStore } from '../support/redis.ts';
import { turnTaker } from '../support/take-turns.ts';

const store = await testStore();
const redis = testRedis();

const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };
const hour = 3_600_000;
const payment: WaitRequest = { key: 'event payment 1', event: 'payment', delayMs: hour };
const paid = { name: 'payment', data: '{"amount":5}' };

async function taskOf(taskId: string, of: Store = store): Promise<Task> {
  return JSON.parse((await of.tasks.read(alice, taskId))?.task?.toString() ?? 'null');
}

/** Suspends a turn for these waits, as a worker does. */
async function suspended(turn: OpenTurn, requests: readonly WaitRequest[], of: Store = store): Promise<string> {
  const begun = await Promise.all(requests.map((request) => of.waits.begin(turn, request)));
  const dueMs = Math.min(...begun.map((wait) => (wait.verdict === 'waits' ? wait.dueMs : 0)));
  const events = requests.flatMap(({ event }) => (event === undefined ? [] : { name: event }));
  const waits = requests.map(({ event }) => ({ ...(event !== undefined && { event }) }));
  return turn.suspend({ dueMs, events, waits });
}

/** A turn that has begun like a worker's: its job was taken. */
async function takenTurn(of: Store, taker = 'a'): Promise<OpenTurn> {
  const [job] = await turnTaker(of, redis)(taker);
  const turn = await job?.begin({ onCancel: () => undefined, onFenced: () => undefined });
  if (typeof turn !== 'object') throw new Error(`no turn began: ${turn}`);
  return turn;
}

/** Lets the time of its wait `sleep 1` come. */
async function pass(of: Store, taskId: string): Promise<void> {
  const root = `${of.settings.prefix}{s0}:`;
  await redis.zadd(`${root}outbox:suspended`, 'XX', 1, taskId);
  await redis.hset(`${root}t:${taskId}:s`, 'until sleep 1', 1);
}

async function suspendedTask(...requests: WaitRequest[]): Promise<string> {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  expect(await suspended(turn, requests.length > 0 ? requests : [payment])).toBe('suspended');
  return taskId;
}

const listed = async (of: Store = store): Promise<string[]> =>
  redis.zrange(`${of.settings.prefix}{s0}:outbox:suspended`, '0', '-1');
const inOutbox = async (taskId: string): Promise<boolean> =>
  (await redis.zscore(`${store.settings.prefix}{s0}:outbox`, taskId)) !== null;

describe('a suspended turn', () => {
  test('has no job and no lease, and its task works, and says what it waits for', async () => {
    const own = await testStore();
    const { taskId } = await accepted(own, alice);
    const turn = await begun(own, taskId);
    expect(await suspended(turn, [payment], own)).toBe('suspended');
    expect(turn.ending).toBe('suspended');
    const { status, metadata } = await taskOf(taskId, own);
    expect(status.state).toBe('TASK_STATE_WORKING');
    expect(metadata).toEqual({ [suspendedUri]: [{ event: 'payment' }] });
    expect(await listed(own)).toEqual([taskId]);
    expect(await redis.zrange(`${own.settings.prefix}{s0}:outbox:suspended`, 0, '-1')).toEqual([taskId]);
    expect(await own.outbox.sweep()).toEqual({ added: 0, known: 0, canceled: 0 });
  });

  test('loses its job in the same step', async () => {
    const own = await testStore();
    const { taskId } = await accepted(own, alice);
    const turn = await takenTurn(own);
    await suspended(turn, [payment], own);
    const keys = await redis.keys(`${own.settings.prefix}{s0}:*`);
    expect(keys.filter((key) => key.includes(`${taskId}.1`) || key.includes(':running:w'))).toEqual([]);
  });

  test('can write no more, and is suspended once, even if the command is sent twice', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    expect(await suspended(turn, [payment])).toBe('suspended');
    expect(await turn.suspend({ dueMs: 0, events: [], waits: [] })).toBe('suspended');
    await expect(store.waits.begin(turn, payment)).rejects.toThrow(TurnFenced);
    await expect(turn.publish(completed)).rejects.toThrow(TurnFenced);
    expect(await listed()).toContain(taskId);
  });

  test('resumes when its time has come, with the same attempt, and its wait has ended', async () => {
    const own = await testStore();
    const { taskId } = await accepted(own, alice);
    const wait = { key: 'sleep 1', delayMs: hour };
    await suspended(await takenTurn(own), [wait], own);
    expect(await own.waits.resume()).toMatchObject({ count: 0, errors: [] });
    await pass(own, taskId);
    expect(await own.waits.resume()).toEqual({ count: 1, errors: [], nextInMs: Number.POSITIVE_INFINITY });
    expect((await taskOf(taskId, own)).metadata).toBeUndefined();
    const turn = await takenTurn(own, 'b');
    expect(turn.start).toMatchObject({ attempt: 1, epoch: 2 });
    expect(await own.waits.begin(turn, wait)).toEqual({ verdict: 'done', result: '' });
    await turn.publish(completed);
    expect((await taskOf(taskId, own)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(await listed(own)).toEqual([]);
  });

  test('that waits for a call looks again, as a fail-over may have lost that the call wakes it', async () => {
    const { taskId } = await accepted(store, alice);
    const called = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const calls = [{ taskId: called.taskId, skipsAuth: false }];
    await turn.suspend({ dueMs: Number.POSITIVE_INFINITY, events: [], calls, waits: [] });
    const dueMs = Number(await redis.zscore(`${store.settings.prefix}{s0}:outbox:suspended`, taskId));
    expect(dueMs).toBeLessThan(Date.now() + 601_000);
  });

  test('resumes when a call ends for which another one waits, too', async () => {
    const own = await testStore();
    const called = await accepted(own, alice);
    const calls = [{ taskId: called.taskId, skipsAuth: false }];
    const suspend = async (): Promise<void> => {
      const turn = await begun(own, (await accepted(own, alice)).taskId);
      await turn.suspend({ dueMs: Number.POSITIVE_INFINITY, events: [], calls, waits: [] });
    };
    for (const _ of [1, 2]) await suspend();
    expect((await own.waits.resume()).count).toBe(0);
    await (await begun(own, called.taskId)).publish(completed);
    expect((await own.waits.resume()).count).toBe(2);
  });

  test('that was resumed early waits for the rest of the time', async () => {
    const taskId = await suspendedTask({ key: 'sleep 1', delayMs: hour }, payment);
    const until = await redis.zscore(`${store.settings.prefix}{s0}:outbox:suspended`, taskId);
    expect(await store.waits.give(alice, taskId, paid)).toEqual({ verdict: 'resumed' });
    const turn = await begun(store, taskId, { job: 2 });
    const again = await store.waits.begin(turn, { key: 'sleep 1', delayMs: hour });
    expect(again).toMatchObject({ verdict: 'waits', dueMs: Number(until) });
  });

  test('is canceled at once', async () => {
    const taskId = await suspendedTask();
    expect(await store.tasks.cancel(alice, taskId)).toBe('canceled');
    const task = await taskOf(taskId);
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    expect(task.metadata).toEqual({ 'switchyard.droppedMessageIds': [expect.any(String)] });
    expect(await listed()).not.toContain(taskId);
    expect(await store.tasks.delete(alice, taskId)).toBe('deleted');
    expect((await redis.keys(`${store.settings.prefix}*`)).filter((key) => key.includes(taskId))).toEqual([]);
  });

  test('is not suspended if a cancel came before', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await store.waits.begin(turn, payment);
    await store.tasks.cancel(alice, taskId);
    expect(await turn.suspend({ dueMs: Number.POSITIVE_INFINITY, events: [{ name: 'payment' }], waits: [] })).toBe(
      'canceled',
    );
    expect((await taskOf(taskId)).status.state).toBe('TASK_STATE_CANCELED');
  });

  test('keeps the metadata of its task', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false, metadata: { color: 'red' } });
    await suspended(turn, [payment]);
    expect((await taskOf(taskId)).metadata).toEqual({ color: 'red', [suspendedUri]: [{ event: 'payment' }] });
    await store.waits.give(alice, taskId, paid);
    expect((await taskOf(taskId)).metadata).toEqual({ color: 'red' });
  });

  test('lets a message wait, unless its agent takes messages while it works: then it resumes', async () => {
    const waiting = await suspendedTask();
    await accepted(store, alice, userMessage('more', { taskId: waiting }));
    expect(await listed()).toContain(waiting);
    expect(await inOutbox(waiting)).toBe(false);

    const { taskId } = await accepted(store, alice);
    await suspended(await begun(store, taskId, { whileWorking: 'steer' }), [payment]);
    await accepted(store, alice, userMessage('hurry', { taskId }));
    expect(await listed()).not.toContain(taskId);
    const turn = await begun(store, taskId, { job: 2, whileWorking: 'steer' });
    expect((await turn.waiting(0)).map(({ parts }) => parts[0]?.text)).toEqual(['hurry']);
  });

  test('refuses a message if its agent takes none while it works', async () => {
    const { taskId } = await accepted(store, alice);
    await suspended(await begun(store, taskId, { whileWorking: 'reject' }), [payment]);
    const message = userMessage('more', { taskId });
    expect(await store.tasks.accept(alice, { message })).toEqual({ verdict: 'working' });
  });
});

describe('an event', () => {
  test('ends the wait for it, once', async () => {
    const taskId = await suspendedTask();
    expect(await store.waits.give(alice, taskId, paid)).toEqual({ verdict: 'resumed' });
    const turn = await begun(store, taskId, { job: 2 });
    const done = { verdict: 'done', result: '{"data":{"amount":5}}' };
    expect(await store.waits.begin(turn, payment)).toEqual(done);
    expect(await store.waits.begin(turn, payment)).toEqual(done);
    expect(await store.waits.begin(turn, { ...payment, key: 'event payment 2' })).toMatchObject({ verdict: 'waits' });
  });

  test('that comes before the wait is kept: while the turn is queued, runs, or is just being suspended', async () => {
    const { taskId } = await accepted(store, alice);
    expect(await store.waits.give(alice, taskId, { ...paid, id: 'a' })).toEqual({ verdict: 'given' });
    const turn = await begun(store, taskId);
    expect(await store.waits.give(alice, taskId, { ...paid, id: 'b' })).toEqual({ verdict: 'given' });
    for (const n of [1, 2])
      expect(await store.waits.begin(turn, { ...payment, key: `event payment ${n}` })).toMatchObject({
        verdict: 'done',
      });
    await store.waits.begin(turn, { ...payment, key: 'event payment 3' });
    await store.waits.give(alice, taskId, { ...paid, id: 'c' });
    await turn.suspend({ dueMs: Number.POSITIVE_INFINITY, events: [{ name: 'payment' }], waits: [] });
    expect(await listed()).not.toContain(taskId);
    const again = await begun(store, taskId, { job: 2 });
    expect(await store.waits.begin(again, { ...payment, key: 'event payment 3' })).toMatchObject({ verdict: 'done' });
  });

  test('that is given twice is taken once', async () => {
    const taskId = await suspendedTask();
    const named = { ...paid, id: 'evt_1' };
    expect(await store.waits.give(alice, taskId, named)).toEqual({ verdict: 'resumed' });
    expect(await store.waits.give(alice, taskId, named)).toEqual({ verdict: 'known' });
    // Without an id, an event is the same one as an equal one until that is taken.
    expect(await store.waits.give(alice, taskId, paid)).toEqual({ verdict: 'known' });
    const turn = await begun(store, taskId, { job: 2 });
    await store.waits.begin(turn, payment);
    expect(await store.waits.give(alice, taskId, named)).toEqual({ verdict: 'known' });
    expect(await store.waits.give(alice, taskId, paid)).toEqual({ verdict: 'given' });
  });

  test('that ended its turn is known to a giver that had no answer and repeats it', async () => {
    const taskId = await suspendedTask();
    const named = { ...paid, id: 'evt_1' };
    await store.waits.give(alice, taskId, named);
    const turn = await begun(store, taskId, { job: 2 });
    await store.waits.begin(turn, payment);
    await turn.publish(completed);
    expect(await store.waits.give(alice, taskId, named)).toEqual({ verdict: 'known' });
    expect(await store.waits.give(alice, taskId, { ...paid, id: 'evt_2' })).toEqual({ verdict: 'terminal' });
  });

  test('of an unknown name is refused with the names that are awaited', async () => {
    const taskId = await suspendedTask(payment, { key: 'event approval 1', event: 'approval' });
    expect(await store.waits.give(alice, taskId, { ...paid, name: 'paymnet' })).toEqual({
      verdict: 'unknown',
      awaited: ['approval', 'payment'],
    });
  });

  test('is refused by a task that waits for its client, has ended, or is not the caller’s', async () => {
    const { taskId } = await accepted(store, alice);
    expect(await store.waits.give(bob, taskId, paid)).toEqual({ verdict: 'missing' });
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    expect(await store.waits.give(alice, taskId, paid)).toEqual({ verdict: 'idle' });
    await store.tasks.cancel(alice, taskId);
    expect(await store.waits.give(alice, taskId, paid)).toEqual({ verdict: 'terminal' });
  });

  test('ends with the turn that did not take it', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await store.waits.give(alice, taskId, paid);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    await accepted(store, alice, userMessage('more', { taskId }));
    const next = await begun(store, taskId, { job: 2 });
    expect(await store.waits.begin(next, payment)).toMatchObject({ verdict: 'waits' });
  });

  test('whose data the suspended turn does not want is refused, and waits; an earlier one is kept unchecked', async () => {
    const wanted = JSON.stringify({ type: 'object', required: ['amount'] });
    const asked: object[] = [];
    const violations = [{ field: 'data.amount', description: 'is missing' }];
    const check = (schema: object) => (asked.push(schema) > 1 ? [] : violations);
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await store.waits.begin(turn, payment);
    await turn.suspend({ dueMs: Number.POSITIVE_INFINITY, events: [{ name: 'payment', schema: wanted }], waits: [] });
    expect(await store.waits.give(alice, taskId, paid, { check })).toEqual({ verdict: 'wrong', violations });
    expect(await listed()).toContain(taskId);
    expect(await store.waits.give(alice, taskId, paid, { check })).toEqual({ verdict: 'resumed' });
    expect(asked).toEqual([JSON.parse(wanted), JSON.parse(wanted)]);
    expect(await store.waits.give(alice, taskId, { ...paid, data: '1' }, { check })).toEqual({ verdict: 'given' });
    expect(asked).toHaveLength(2);
  });

  test('is kept within limits', async () => {
    const own = await testStore({ maxStepsBytes: 300 });
    const { taskId } = await accepted(own, alice);
    const give = (n: number) => own.waits.give(alice, taskId, { ...paid, data: JSON.stringify('x'.repeat(n)) });
    expect(await give(400)).toEqual({ verdict: 'full' });
    expect(await give(100)).toEqual({ verdict: 'given' });
  });

  test('may come by a callback, whose token is the same in every run of the turn, and ends with it', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const token = await store.waits.callback(turn, 'callback payment 1', 'payment');
    expect(await store.waits.callback(turn, 'callback payment 1', 'payment')).toBe(token);
    await suspended(turn, [payment]);
    expect(await store.waits.giveByCallback(taskId, { token: `${token}x`, data: '{}' })).toEqual({
      verdict: 'missing',
    });
    expect(await store.waits.giveByCallback(taskId, { token, data: '{"n":1}' })).toEqual({ verdict: 'resumed' });
    const again = await begun(store, taskId, { job: 2 });
    expect(await store.waits.begin(again, payment)).toEqual({ verdict: 'done', result: '{"data":{"n":1}}' });
    expect(await store.waits.giveByCallback(taskId, { token, data: '{"n":1}' })).toEqual({ verdict: 'known' });
    await again.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    await accepted(store, alice, userMessage('more', { taskId }));
    await begun(store, taskId, { job: 3 });
    expect(await store.waits.giveByCallback(taskId, { token, data: '{"n":2}' })).toEqual({ verdict: 'missing' });
  });
});

test('a suspended turn that cannot be resumed holds up no other', async () => {
  const own = await testStore();
  const tasks = await Promise.all([1, 2, 3].map(() => accepted(own, alice)));
  for (const { taskId } of tasks) {
    await suspended(await begun(own, taskId), [{ key: 'sleep 1', delayMs: hour }], own);
    await pass(own, taskId);
  }
  await redis.set(`${own.settings.prefix}{s0}:t:${tasks[0]?.taskId}:e`, 'damaged');
  expect(await own.waits.resume()).toMatchObject({ count: 2, errors: [expect.any(Error)] });
});
