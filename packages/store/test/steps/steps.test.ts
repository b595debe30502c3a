import type { TurnEvent } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { type OpenTurn, TooManyResults, TurnFenced } from '../../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from '../support/drive.ts';
import { alice, testRedis, testStore } from '../support/redis.ts';

const store = await testStore({ maxStepsBytes: 200 });
const redis = testRedis();

const said = (mark: string): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_WORKING',
  settles: false,
  message: agentMessage('on it'),
  step: { key: 'a', mark },
});
/** A step from begin to end. */
async function done(turn: OpenTurn, key: string, result: string): Promise<void> {
  await store.steps.begin(turn, key);
  await store.steps.end(turn, key, result);
}

const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };
const asked: TurnEvent = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true };
const keysOf = (taskId: string): Promise<string[]> => redis.keys(`${store.settings.prefix}*${taskId}*`);

test('a step has its result in every later attempt, also for a worker that took the turn over', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  expect(await store.steps.begin(first, 'a')).toEqual({ verdict: 'run', mark: '' });
  await done(first, 'a', '{"n":1}');
  const second = await begun(store, taskId, { started: 2 });
  expect(await store.steps.begin(second, 'a')).toEqual({ verdict: 'done', result: '{"n":1}' });
  expect(await store.steps.begin(second, 'b')).toEqual({ verdict: 'run', mark: '' });
});

test('the first result of a step counts, also an empty one', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await done(turn, 'a', '');
  await done(turn, 'a', '2');
  expect(await store.steps.begin(turn, 'a')).toEqual({ verdict: 'done', result: '' });
});

test('a run that has lost the turn begins no step and keeps no result', async () => {
  const { taskId } = await accepted(store, alice);
  const zombie = await begun(store, taskId);
  const owner = await begun(store, taskId, { started: 2 });
  await expect(store.steps.begin(zombie, 'a')).rejects.toThrow(TurnFenced);
  await expect(store.steps.end(zombie, 'a', '1')).rejects.toThrow(TurnFenced);
  expect(await store.steps.begin(owner, 'a')).toEqual({ verdict: 'run', mark: '' });
});

test('no step begins while a cancel waits, but what is done is known', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await done(turn, 'a', '1');
  expect(await store.tasks.cancel(alice, taskId)).toBe('requested');
  expect(await store.steps.begin(turn, 'b')).toEqual({ verdict: 'canceling' });
  expect(await store.steps.begin(turn, 'a')).toEqual({ verdict: 'done', result: '1' });
});

test('the mark of a step is written with each of its events, and with none that is refused', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  await store.steps.begin(first, 'a');
  await Promise.all([first.publish(said('1')), first.publish(said('2'))]);
  const second = await begun(store, taskId, { started: 2 });
  await expect(first.publish(said('3'))).rejects.toThrow(TurnFenced);
  expect(await store.steps.begin(second, 'a')).toEqual({ verdict: 'run', mark: '2' });
  const reading = await store.tasks.read(alice, taskId);
  expect(JSON.parse(reading?.task?.toString() ?? '').history).toHaveLength(3);
});

test('a result is kept after everything that its turn has published', async () => {
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
  await done(turn, 'a', '1');
  const next = await begun(store, taskId, { started: 2 });
  expect(next.start.task.artifacts).toMatchObject([{ parts: [{ text: 'x'.repeat(50) }] }]);
});

test('the results of a turn have a limit together', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await done(turn, 'a', 'x'.repeat(150));
  await expect(store.steps.end(turn, 'b', 'x'.repeat(50))).rejects.toThrow(TooManyResults);
  await store.steps.end(turn, 'c', 'x'.repeat(40));
});

test('results are those of one message: the next one begins without any', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  await done(first, 'a', '1');
  await first.publish(asked);
  await accepted(store, alice, userMessage('more', { taskId }));
  const second = await begun(store, taskId, { job: 2 });
  expect(await store.steps.begin(second, 'a')).toEqual({ verdict: 'run', mark: '' });
});

test('results are kept as long as their task when it has ended', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await store.steps.begin(turn, 'a');
  await done(turn, 'a', '1');
  const [steps = ''] = (await keysOf(taskId)).filter((key) => key.endsWith(':s'));
  expect(await redis.pttl(steps)).toBe(-1);
  await turn.publish(completed);
  const { retentionMs } = store.settings;
  expect(await redis.pttl(steps)).toBeGreaterThan(retentionMs - 10_000);
  expect(await redis.pttl(steps)).toBeLessThanOrEqual(retentionMs);
});

test('a shutdown that gives the turn back keeps what it has done', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await done(turn, 'a', '1');
  await turn.release(false);
  const next = await begun(store, taskId, { started: 2 });
  expect(next.start.attempt).toBe(1);
  expect(await store.steps.begin(next, 'a')).toEqual({ verdict: 'done', result: '1' });
});
