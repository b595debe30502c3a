import type { TurnEvent } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { type OpenTurn, TooManyResults, TurnFenced } from '../../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from '../support/drive.ts';
import { alice, testRedis, testStore } from '../support/redis.ts';

const store = await testStore({ maxStepsBytes: 200 });
const redis = testRedis();

const working = (mark: string): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_WORKING',
  settles: false,
  message: agentMessage('on it'),
  step: { key: 'a', mark },
});
/** Begins and ends a step. */
async function runStep(turn: OpenTurn, key: string, result: string): Promise<void> {
  await store.steps.begin(turn, key);
  await store.steps.end(turn, key, result);
}

const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };
const asked: TurnEvent = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true };
const keysOf = (taskId: string): Promise<string[]> => redis.keys(`${store.settings.prefix}*${taskId}*`);

test('the result of a step is known in every later attempt, also to another worker', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  expect(await store.steps.begin(first, 'a')).toEqual({ verdict: 'run', mark: '', failed: 0 });
  await runStep(first, 'a', '{"n":1}');
  const second = await begun(store, taskId, { started: 2 });
  expect(await store.steps.begin(second, 'a')).toEqual({ verdict: 'done', result: '{"n":1}' });
  expect(await store.steps.begin(second, 'b')).toEqual({ verdict: 'run', mark: '', failed: 0 });
});

test('the first result of a step is kept, also an empty one', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await runStep(turn, 'a', '');
  await runStep(turn, 'a', '2');
  expect(await store.steps.begin(turn, 'a')).toEqual({ verdict: 'done', result: '' });
});

test('a turn that was taken over can neither begin a step nor store a result', async () => {
  const { taskId } = await accepted(store, alice);
  const fenced = await begun(store, taskId);
  const owner = await begun(store, taskId, { started: 2 });
  await expect(store.steps.begin(fenced, 'a')).rejects.toThrow(TurnFenced);
  await expect(store.steps.end(fenced, 'a', '1')).rejects.toThrow(TurnFenced);
  expect(await store.steps.begin(owner, 'a')).toEqual({ verdict: 'run', mark: '', failed: 0 });
});

test('no step begins after a cancel request, but results are still known', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await runStep(turn, 'a', '1');
  expect(await store.tasks.cancel(alice, taskId)).toBe('requested');
  expect(await store.steps.begin(turn, 'b')).toEqual({ verdict: 'canceling' });
  expect(await store.steps.begin(turn, 'a')).toEqual({ verdict: 'done', result: '1' });
});

test('the mark of a step is stored with each of its events, but not with a refused one', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  await store.steps.begin(first, 'a');
  await Promise.all([first.publish(working('1')), first.publish(working('2'))]);
  const second = await begun(store, taskId, { started: 2 });
  await expect(first.publish(working('3'))).rejects.toThrow(TurnFenced);
  expect(await store.steps.begin(second, 'a')).toEqual({ verdict: 'run', mark: '2', failed: 0 });
  const reading = await store.tasks.read(alice, taskId);
  expect(JSON.parse(reading?.task?.toString() ?? '').history).toHaveLength(3);
});

test('a result is stored after all events that its turn has published', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await store.steps.begin(turn, 'a');
  const artifact = (text: string): TurnEvent => ({
    kind: 'artifact',
    artifact: { artifactId: 'r', name: 'r', parts: [{ text }] },
    append: true,
    lastChunk: false,
    step: { key: 'a', mark: text },
  });
  for (let i = 0; i < 50; i++) await turn.publish(artifact('x'));
  await runStep(turn, 'a', '1');
  const next = await begun(store, taskId, { started: 2 });
  expect(next.start.task.artifacts).toMatchObject([{ parts: [{ text: 'x'.repeat(50) }] }]);
});

test('the results of a turn are limited to maxStepsBytes together', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await runStep(turn, 'a', 'x'.repeat(150));
  await expect(store.steps.end(turn, 'b', 'x'.repeat(50))).rejects.toThrow(TooManyResults);
  await store.steps.end(turn, 'c', 'x'.repeat(40));
});

test('the turn of the next message does not know the results of the one before', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  await runStep(first, 'a', '1');
  await first.publish(asked);
  await accepted(store, alice, userMessage('more', { taskId }));
  const second = await begun(store, taskId, { job: 2 });
  expect(await store.steps.begin(second, 'a')).toEqual({ verdict: 'run', mark: '', failed: 0 });
});

test('results expire with their task', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await store.steps.begin(turn, 'a');
  await runStep(turn, 'a', '1');
  const [steps = ''] = (await keysOf(taskId)).filter((key) => key.endsWith(':s'));
  expect(await redis.pttl(steps)).toBe(-1);
  await turn.publish(completed);
  const { retentionMs } = store.settings;
  expect(await redis.pttl(steps)).toBeGreaterThan(retentionMs - 10_000);
  expect(await redis.pttl(steps)).toBeLessThanOrEqual(retentionMs);
});

test('a turn that is given back keeps its results', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await runStep(turn, 'a', '1');
  await turn.handBack(false);
  const next = await begun(store, taskId, { started: 2 });
  expect(next.start.attempt).toBe(1);
  expect(await store.steps.begin(next, 'a')).toEqual({ verdict: 'done', result: '1' });
});

test('a step that is postponed keeps how often it has failed, for this attempt at the turn only', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  await store.steps.begin(first, 'a');
  await store.steps.postpone(first, 'a', 2);
  await first.handBack(false);
  const again = await begun(store, taskId, { started: 2 });
  expect(await store.steps.begin(again, 'a')).toEqual({ verdict: 'run', mark: '', failed: 2 });
  expect(await store.steps.begin(again, 'b')).toMatchObject({ failed: 0 });
  await expect(store.steps.postpone(first, 'a', 3)).rejects.toThrow(TurnFenced);
  await again.handBack(true);
  const retried = await begun(store, taskId, { started: 3 });
  expect(retried.start.attempt).toBe(2);
  expect(await store.steps.begin(retried, 'a')).toMatchObject({ failed: 0 });
});
