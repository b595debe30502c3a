import type { FailureReport } from '@switchyard/protocol';
import type { OpenTurn } from '@switchyard/store';
import { storedFailureText } from '@switchyard/store/inside';
import { expect, test } from 'vitest';
import { accepted, agentMessage, beginTurn, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import type { TimelineEntry } from '../src/timeline.ts';

const store = await testStore({ maxAttempts: 3, retentionMs: 60_000 });
const redis = testRedis();

const beginAs = (taskId: string, process: string, started: number, job = 1): Promise<OpenTurn> =>
  begun(store, taskId, { started, job, token: `${process}:echo/0:alone:1` });
const why = (message: string, more: Partial<FailureReport> = {}): FailureReport => ({
  kind: 'threw',
  message,
  ...more,
});
const failed = { kind: 'status', state: 'TASK_STATE_FAILED', settles: true, message: agentMessage('sorry') } as const;

async function timeline(taskId: string): Promise<readonly TimelineEntry[]> {
  const detail = await store.ops.tasks.detail(taskId, { hasTimeline: true });
  return detail?.timeline?.entries ?? [];
}
async function attempts(taskId: string) {
  const entries = await timeline(taskId);
  return entries.flatMap((entry) =>
    entry.kind === 'attempt' ? [[entry.end, entry.failure?.kind, entry.failure]] : [],
  );
}
async function row(taskId: string) {
  return (await store.ops.searchTasks({ id: taskId, pageSize: 1, hasText: false })).tasks[0];
}
const failuresKey = async (taskId: string): Promise<string> => {
  const [key = ''] = await redis.keys(`${store.settings.prefix}*:t:${taskId}:f`);
  return key;
};

test('a failed outcome takes its failure along: the timeline, the row and the record say why', async () => {
  const { taskId } = await accepted(store, alice);
  const place = { file: 'agent.ts', line: 41, column: 7, source: 'order.pay()' };
  const turn = await beginAs(taskId, 'one', 1);
  await turn.publish(failed, why('TypeError: no dough', { place, attempt: 1, worker: 'one', requestId: 'r' }));
  expect(await attempts(taskId)).toEqual([
    ['failed', 'threw', expect.objectContaining({ message: 'TypeError: no dough', place, epoch: 1, requestId: 'r' })],
  ]);
  const reason = { kind: 'threw', message: 'TypeError: no dough' };
  expect((await row(taskId))?.reason).toEqual(reason);
  expect((await store.ops.tasks.record(taskId))?.reason).toEqual(reason);
  expect(await redis.pttl(await failuresKey(taskId))).toBeGreaterThan(0);
});

test('no reader of the task sees the failure', async () => {
  const { taskId } = await accepted(store, alice);
  await (await beginAs(taskId, 'one', 1)).publish(failed, why('the secret of the kitchen'));
  const read = await store.tasks.read(alice, taskId);
  expect(read?.task?.toString()).toContain('sorry');
  expect(read?.task?.toString()).not.toContain('kitchen');
  const stream = await redis.keys(`${store.settings.prefix}*:t:${taskId}:e`);
  expect(JSON.stringify(await redis.xrange(stream[0] ?? '', '-', '+'))).not.toContain('kitchen');
});

test('an outcome that is sent twice keeps its failure once', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  await turn.recordFailure(why('first', { of: 'step', name: 'bake' }));
  await turn.recordFailure(why('first', { of: 'step', name: 'bake' }));
  await turn.handBack(true, why('again', { kind: 'retry-asked' }));
  await turn.handBack(true, why('again', { kind: 'retry-asked' }));
  expect(await redis.llen(await failuresKey(taskId))).toBe(3);
  expect((await attempts(taskId)).map(([end, kind]) => [end, kind])).toEqual([['retried', 'retry-asked']]);
});

test('a task without failures has no key for them, and no reason', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  expect(await failuresKey(taskId)).toBe('');
  expect((await row(taskId))?.reason).toBeUndefined();
});

test('the reason of an attempt that failed is shown until the message is answered', async () => {
  const { taskId } = await accepted(store, alice);
  await (await beginAs(taskId, 'one', 1)).handBack(true, why('the oven is cold', { kind: 'retry-asked' }));
  expect((await row(taskId))?.reason?.message).toBe('the oven is cold');
  const again = await beginAs(taskId, 'one', 2);
  expect((await row(taskId))?.reason?.message).toBe('the oven is cold');
  await again.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
  expect((await row(taskId))?.reason).toBeUndefined();
  await accepted(store, alice, userMessage('go on', { taskId }));
  await beginAs(taskId, 'one', 1, 2);
  expect((await row(taskId))?.reason).toBeUndefined();
});

test('an attempt whose worker was lost says so, and the last one makes a dead letter with that reason', async () => {
  const { taskId } = await accepted(store, alice);
  for (let started = 1; started <= 3; started++) await beginAs(taskId, `p${started}`, started);
  expect((await row(taskId))?.reason).toEqual({
    kind: 'worker-lost',
    message: 'Worker p2 stopped while it ran the attempt.',
  });
  const spent = await beginTurn(store, { taskId, started: 4, token: 'p4:echo/0:alone:1' });
  expect(spent).toBe('exhausted');
  expect((await attempts(taskId)).map(([end, kind]) => [end, kind])).toEqual([
    ['taken-over', 'worker-lost'],
    ['taken-over', 'worker-lost'],
    ['gave-up', 'worker-lost'],
  ]);
  const letter = await store.ops.deadLetters.get(taskId);
  expect(letter).toMatchObject({ why: { kind: 'worker-lost', message: expect.stringContaining('p3') } });
  expect((await store.ops.tasks.diagnosis(taskId))?.failure).toMatchObject({ epoch: 3, attempt: 3, worker: 'p3' });
});

test('another process says why an attempt ended, and its word stays when the attempt is taken over', async () => {
  const { taskId } = await accepted(store, alice);
  await beginAs(taskId, 'one', 1);
  const report = why('The agent blocked its worker for 12 s at agent.ts:41.', {
    kind: 'worker-blocked',
    worker: 'one',
  });
  expect(await store.turns.recordFailure({ taskId, epoch: 1 }, report)).toBe(true);
  await beginAs(taskId, 'two', 2);
  expect((await attempts(taskId)).map(([, kind]) => kind)).toEqual(['worker-blocked', undefined]);
  expect((await row(taskId))?.reason?.kind).toBe('worker-blocked');
  expect(await store.turns.recordFailure({ taskId, epoch: 9 }, report)).toBe(false);
  expect(await store.turns.recordFailure({ taskId: crypto.randomUUID(), epoch: 1 }, report)).toBe(false);
});

test('an attempt has the last word about it: that of its worker when it ended, not an earlier warning', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  const blocked = (text: string) => why(text, { kind: 'worker-blocked' });
  await store.turns.recordFailure({ taskId, epoch: 1 }, blocked('The agent has blocked its worker for 3 s.'));
  await store.turns.recordFailure({ taskId, epoch: 1 }, blocked('The agent blocked its worker for 10 s.'));
  const messages = (await timeline(taskId)).flatMap((entry) =>
    entry.kind === 'attempt' ? [entry.failure?.message] : [],
  );
  expect(messages).toEqual(['The agent blocked its worker for 10 s.']);
  await turn.publish(failed, why('no dough'));
  expect((await store.ops.tasks.diagnosis(taskId))?.failure?.message).toBe('no dough');
});

test('a message that was given up says why in its dead letter: in short in the list, in full in the detail', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  const event = { ...failed, deadLetterReason: 'The agent gave up after 1 attempt: busy' };
  await turn.publish(event, why('the model answered 503', { kind: 'retry-asked', retryAfterMs: 500 }));
  const { items } = await store.ops.deadLetters.list({ pageSize: 9 }, { reason: 'model answered' });
  expect(items).toMatchObject([{ taskId, why: { kind: 'retry-asked', message: 'the model answered 503' } }]);
  expect(await store.ops.deadLetters.detail(taskId)).toMatchObject({ failure: { retryAfterMs: 500, epoch: 1 } });
});

test('a step that threw and ran again is two entries, the first one with its error', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  await store.steps.begin(turn, 'step pay');
  await turn.recordFailure(why('the card was refused', { of: 'step', name: 'pay' }));
  await store.steps.begin(turn, 'step pay');
  await store.steps.begin(turn, 'step pay'); // sent twice
  await store.steps.end(turn, 'step pay', '{}');
  const steps = (await timeline(taskId)).flatMap((entry) => (entry.kind === 'step' ? [entry] : []));
  expect(steps.map(({ failure, untilAt }) => [failure?.message, untilAt !== undefined])).toEqual([
    ['the card was refused', true],
    [undefined, true],
  ]);
  expect((await row(taskId))?.reason).toBeUndefined();
});

test('a call that failed has its failure; a refused one, or one of an earlier attempt, is an entry of its own', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  const submission = { message: userMessage('bake', { contextId: turn.start.task.contextId ?? '' }) };
  const placed = await store.calls.place(turn, { agent: 'oven', submission, isDetached: false });
  const called = placed.verdict === 'accepted' ? placed.taskId : '';
  const call = { of: 'call', kind: 'call-failed', name: 'oven' } as const;
  await turn.recordFailure(why('too slow', { ...call, calledTask: called }));
  await turn.recordFailure(why('unknown', { ...call, name: 'fridge' }));
  await turn.handBack(true);
  await (await beginAs(taskId, 'one', 2)).recordFailure(why('too slow', { ...call, calledTask: called }));
  const calls = (await timeline(taskId)).flatMap((entry) => (entry.kind === 'call' ? [entry] : []));
  expect(calls.map((each) => [each.epoch, each.agent, each.taskId, each.isDetached, each.failure?.message])).toEqual([
    [1, 'oven', called, false, 'too slow'],
    [1, 'fridge', undefined, undefined, 'unknown'],
    [2, 'oven', called, undefined, 'too slow'],
  ]);
  expect((await row(taskId))?.reason).toBeUndefined();
});

test('with contents, the steps of the last message have the beginning of their results', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  await store.steps.begin(turn, 'step pay');
  await store.steps.end(turn, 'step pay', '"first"');
  await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
  await accepted(store, alice, userMessage('go on', { taskId }));
  const second = await beginAs(taskId, 'one', 1, 2);
  await store.steps.begin(second, 'step pay');
  await store.steps.end(second, 'step pay', JSON.stringify('é'.repeat(3_000)));
  const detail = await store.ops.tasks.detail(taskId, { hasTimeline: true, hasContents: true });
  const results = detail?.timeline?.entries.flatMap((entry) => (entry.kind === 'step' ? [entry.result] : [])) ?? [];
  expect(results).toEqual([undefined, { text: `"${'é'.repeat(1_023)}`, bytes: 6_002 }]);
  const steps = (await timeline(taskId)).filter(({ kind }) => kind === 'step');
  expect(steps.every((entry) => !('result' in entry))).toBe(true);
});

test('tasks are found by a part of their reason', async () => {
  const { taskId } = await accepted(store, alice);
  await (await beginAs(taskId, 'one', 1)).publish(failed, why('a pizza with pineapple'));
  const found = await store.ops.searchTasks({ agent: 'echo', reason: 'PINEAPPLE', pageSize: 9, hasText: false });
  expect(found.tasks.map((task) => task.taskId)).toEqual([taskId]);
  const other = await store.ops.searchTasks({ agent: 'echo', reason: 'anchovies', pageSize: 9, hasText: false });
  expect(other.totalSize).toBe(0);
});

test('a task keeps 32 failures of at most 8 KiB, and loses them with itself', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  const frames = Array.from({ length: 20 }, (_, line) => ({
    file: 'x'.repeat(200),
    line,
    column: 1,
    source: 'y'.repeat(160),
    of: 'author' as const,
  }));
  const cause = { type: 'Error', message: 'z'.repeat(1_000), frames };
  const error = { type: 'Error', message: 'w'.repeat(1_000), frames, cause, errors: [cause, cause] };
  for (let i = 0; i < 40; i++) await turn.recordFailure(why(`${i}`, { of: 'step', name: 'bake', error }));
  const key = await failuresKey(taskId);
  const stored = await redis.lrange(key, 0, -1);
  expect(stored).toHaveLength(32);
  expect(Math.max(...stored.map((entry) => entry.length))).toBeLessThan(8_300);
  await turn.publish(failed, why('at last', { error }));
  expect((await attempts(taskId)).at(-1)?.[1]).toBe('threw');
  expect(await store.ops.tasks.delete(taskId)).toBe('deleted');
  expect(await redis.exists(key)).toBe(0);
});

test('a failure is cut to its size part by part: inner frames first, then causes, then the error', () => {
  const text = storedFailureText(why('m'.repeat(5_000), { error: { type: 'E', message: 'é'.repeat(9_000) } }));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192);
  expect(JSON.parse(text.slice(text.indexOf('\n') + 1))).toMatchObject({ kind: 'threw', message: 'm'.repeat(1_000) });
  expect(text.split('\n')[0]).toBe(`threw ${'m'.repeat(200)}`);
});

test('a failure after the outcome expires with its task', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  await turn.recordFailure(why('too late'));
  expect(await redis.pttl(await failuresKey(taskId))).toBeGreaterThan(0);
  expect((await row(taskId))?.reason).toBeUndefined();
});
