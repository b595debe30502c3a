import { randomUUID } from 'node:crypto';
import type { Task, TurnEvent } from '@switchyard/protocol';
import { Shards } from '@switchyard/store/inside';
import { expect, test } from 'vitest';
import { accepted, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis, testStore } from '../../../tests/support/store/redis.ts';

const store = await testStore({ shards: 4, retentionMs: 60_000 });
const redis = testRedis();

const failed: TurnEvent = { kind: 'status', state: 'TASK_STATE_FAILED', settles: true };
const order = (more: object = {}) => ({ messageId: randomUUID(), operator: 'ops', ...more });

/** A task that failed in step c, with the results of steps a and b. */
async function failedTask(message = userMessage('go')): Promise<{ taskId: string; contextId: string }> {
  const { taskId, contextId } = await accepted(store, alice, message);
  const turn = await begun(store, taskId);
  for (const name of ['a', 'b']) {
    await store.steps.begin(turn, `step ${name}`);
    await store.steps.end(turn, `step ${name}`, JSON.stringify(name.repeat(100)));
  }
  await store.steps.begin(turn, 'step c');
  await turn.publish(failed);
  return { taskId, contextId };
}

async function rerun(taskId: string, more: object = {}): Promise<string> {
  const result = await store.ops.tasks.rerun(taskId, order(more));
  if (result.verdict !== 'started') throw new Error(`the rerun was refused: ${result.verdict}`);
  return result.taskId;
}

const read = async (taskId: string): Promise<Task> =>
  JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '{}');
const keysOf = (taskId: string): Promise<string[]> => redis.keys(`${store.settings.prefix}*:t:${taskId}*`);

test('a rerun is a new task of the same principal and context that references the first task', async () => {
  const message = userMessage('go', { metadata: { size: 'l', 'switchyard.caller': 'x' } });
  const { taskId, contextId } = await failedTask(message);
  const again = await rerun(taskId);
  expect(await read(again)).toMatchObject({ contextId, status: { state: 'TASK_STATE_SUBMITTED' } });
  const [sent] = (await read(again)).history ?? [];
  expect(sent).toMatchObject({ parts: message.parts, referenceTaskIds: [taskId] });
  expect(sent?.metadata, 'reserved metadata is left out').toEqual({ size: 'l' });
  expect(await store.tasks.read(bob, again)).toBeUndefined();
});

test('a rerun has the scopes, output modes, extensions and unreserved metadata of the first request', async () => {
  const principal = { ...alice.principal, scopes: ['cook'] };
  const given = { acceptedOutputModes: ['text/csv'], extensions: ['urn:x'], metadata: { size: 'l' } };
  const request = { ...given, metadata: { ...given.metadata, 'switchyard.caller': 'x' }, message: userMessage() };
  const acceptance = await store.tasks.accept({ ...alice, principal }, request);
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  const { taskId } = acceptance;
  await (await begun(store, taskId)).publish({ ...failed, state: 'TASK_STATE_INPUT_REQUIRED' });
  const expected = { ...given, metadata: { size: 'l', 'switchyard.operator': 'ops' }, principal };
  const answer = { messageId: randomUUID(), parts: [{ text: 'yes' }], operator: 'ops' };
  expect(await store.ops.tasks.answer(taskId, answer)).toEqual({ verdict: 'accepted' });
  const second = await begun(store, taskId, { job: 2 });
  expect(second.start).toMatchObject(expected);
  await second.publish(failed);
  const again = await rerun(taskId);
  const turn = await begun(store, again);
  expect(turn.start).toMatchObject(expected);
  await turn.publish(failed);
  const third = await begun(store, await rerun(again));
  expect(third.start, 'a rerun of the rerun').toMatchObject(expected);
});

test('a rerun can have another input', async () => {
  const again = await rerun((await failedTask()).taskId, { parts: [{ text: 'go slowly' }] });
  expect((await read(again)).history).toMatchObject([{ parts: [{ text: 'go slowly' }] }]);
});

test('a rerun that is requested twice with the same message id creates one task', async () => {
  const { taskId } = await failedTask();
  const once = order({ fromStep: 'b' });
  const results = [await store.ops.tasks.rerun(taskId, once), await store.ops.tasks.rerun(taskId, once)];
  expect(results[1]).toEqual(results[0]);
});

test('with fromStep, the results of the steps before it are kept, and the step runs', async () => {
  const { taskId } = await failedTask();
  const turn = await begun(store, await rerun(taskId, { fromStep: 'b' }));
  expect(await store.steps.begin(turn, 'step a')).toEqual({ verdict: 'done', result: JSON.stringify('a'.repeat(100)) });
  expect(await store.steps.begin(turn, 'step b')).toEqual({ verdict: 'run', mark: '', failed: 0 });
});

test('the order of 600 steps is the order in which they began', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const names = Array.from({ length: 600 }, (_, n) => `step-${n}`);
  for (const name of names) {
    await store.steps.begin(turn, `step ${name}`);
    await store.steps.end(turn, `step ${name}`, JSON.stringify(name.repeat(10)));
  }
  await turn.publish(failed);
  expect((await store.ops.tasks.detail(taskId))?.steps).toEqual(names);
  const again = await begun(store, await rerun(taskId, { fromStep: 'step-599' }));
  for (const name of names.slice(0, -1)) expect((await store.steps.begin(again, `step ${name}`)).verdict).toBe('done');
});

test('a rerun can be rerun from a step', async () => {
  const { taskId } = await failedTask();
  const again = await rerun(taskId, { fromStep: 'b' });
  const turn = await begun(store, again);
  for (const name of ['a', 'b']) await store.steps.begin(turn, `step ${name}`);
  await store.steps.end(turn, 'step b', '"b"');
  await turn.publish(failed);
  expect((await store.ops.tasks.detail(again))?.steps).toEqual(['a', 'b']);
  const third = await begun(store, await rerun(again, { fromStep: 'b' }));
  expect((await store.steps.begin(third, 'step a')).verdict).toBe('done');
});

test('without fromStep, no results of steps are kept', async () => {
  const turn = await begun(store, await rerun((await failedTask()).taskId));
  expect(await store.steps.begin(turn, 'step a')).toEqual({ verdict: 'run', mark: '', failed: 0 });
});

test('copied results of steps do not expire before the task has ended, and are deleted with it', async () => {
  const { taskId } = await failedTask();
  const again = await rerun(taskId, { fromStep: 'b' });
  const ttls = async () => Promise.all((await keysOf(again)).map((key) => redis.pttl(key)));
  expect(new Set(await ttls())).toEqual(new Set([-1]));
  const turn = await begun(store, again);
  await turn.publish(failed);
  for (const ttl of await ttls()) expect(ttl).toBeGreaterThan(0);
  await store.ops.tasks.delete(again);
  expect(await keysOf(again)).toEqual([]);
});

test('a task and the steps copied for it are stored in one script call', async () => {
  const { taskId: from, contextId } = await failedTask();
  const shards = new Shards(store.settings.prefix, store.settings.shards);
  const reservedId = shards.newId(contextId);
  const accept = (...names: string[]) =>
    store.tasks.accept(alice, {
      message: userMessage('again', { contextId }),
      reservedId,
      steps: { taskId: from, names },
    });
  const keys = await redis.keys(`${store.settings.prefix}*`);
  expect(await accept('a', 'no step'), 'nothing is copied').toEqual({ verdict: 'missing' });
  expect(await redis.keys(`${store.settings.prefix}*`)).toHaveLength(keys.length);
  expect(await accept('a')).toMatchObject({ verdict: 'accepted', taskId: reservedId });
  // If the gateway crashes here, nothing is missing.
  const turn = await begun(store, reservedId);
  expect((await store.steps.begin(turn, 'step a')).verdict).toBe('done');
  const ttls = async () => Promise.all((await keysOf(reservedId)).map((key) => redis.pttl(key)));
  expect(new Set(await ttls())).toEqual(new Set([-1]));
  await turn.publish(failed);
  for (const ttl of await ttls()) expect(ttl).toBeGreaterThan(0);
});

test('a rerun of an open or unknown task or from an unknown step is refused, and leaves no key', async () => {
  const { taskId } = await accepted(store, alice);
  expect(await store.ops.tasks.rerun(taskId, order())).toEqual({ verdict: 'live' });
  expect(await store.ops.tasks.rerun(randomUUID(), order())).toEqual({ verdict: 'missing' });
  const ended = (await failedTask()).taskId;
  const keys = await redis.keys(`${store.settings.prefix}*`);
  expect(await store.ops.tasks.rerun(ended, order({ fromStep: 'c' }))).toEqual({ verdict: 'unknown-step' });
  expect(await redis.keys(`${store.settings.prefix}*`)).toHaveLength(keys.length);
});
