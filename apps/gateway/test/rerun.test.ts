import { randomUUID } from 'node:crypto';
import { rerunUri, type Task, type TurnEvent } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { Invocation, Outcome } from './support/bindings/outcome.ts';
import { overRest } from './support/bindings/over-http.ts';
import { twoGateways } from './support/bindings/two-gateways.ts';
import { get, submit, userMessage } from './support/client.ts';

// The extension of docs/extensions/rerun.md, over every binding and at two gateways.

const failed: TurnEvent = { kind: 'status', state: 'TASK_STATE_FAILED', settles: true };
const active = { 'a2a-extensions': rerunUri };

const gateways = twoGateways();

/** A task that failed in step c, with results of steps a and b. */
async function failedTask(): Promise<Task> {
  const task = await submit(gateways.stage.url, userMessage('the first input'));
  const turn = await gateways.stage.beginTurn(task.id);
  for (const name of ['a', 'b']) {
    await gateways.stage.store.steps.begin(turn, `step ${name}`);
    await gateways.stage.store.steps.end(turn, `step ${name}`, JSON.stringify(`result of ${name}`));
  }
  await gateways.stage.store.steps.begin(turn, 'step c');
  await turn.publish(failed);
  return task;
}

const asking = (order: object, more: object = {}, headers: Record<string, string> = active) => ({
  operation: 'SendMessage',
  params: {
    message: userMessage('other input', { metadata: { [rerunUri]: order }, ...more }),
    configuration: { returnImmediately: true },
  },
  headers,
});

function taskOf(outcome: Outcome): Task {
  if ('error' in outcome) throw new Error(outcome.error.message, { cause: outcome.error });
  return (outcome.result as { task: Task }).task;
}

describe.each(gateways.bindings)('Over $name a task that has ended', ({ at }) => {
  it('runs again from a step, with another input, as a new task of its context', async () => {
    const old = await failedTask();
    const task = taskOf(await at(1).invoke(asking({ taskId: old.id, fromStep: 'b' })));
    expect(task).toMatchObject({ contextId: old.contextId, status: { state: 'TASK_STATE_SUBMITTED' } });
    expect(task.id).not.toBe(old.id);
    const [sent] = task.history ?? [];
    expect(sent).toMatchObject({ parts: [{ text: 'other input' }], referenceTaskIds: [old.id] });
    const turn = await gateways.stage.beginTurn(task.id);
    const verdicts = [];
    for (const name of ['a', 'b'])
      verdicts.push((await gateways.stage.store.steps.begin(turn, `step ${name}`)).verdict);
    expect(verdicts).toEqual(['done', 'run']);
    expect((await get<Task>(`${gateways.stage.url}/tasks/${old.id}`)).body.status.state).toBe('TASK_STATE_FAILED');
  });

  it('runs again from the start, once for a repeated message', async () => {
    const old = await failedTask();
    const request = asking({ taskId: old.id });
    const [first, again] = [taskOf(await at(0).invoke(request)), taskOf(await at(1).invoke(request))];
    expect(again.id).toBe(first.id);
    const turn = await gateways.stage.beginTurn(first.id);
    expect((await gateways.stage.store.steps.begin(turn, 'step a')).verdict).toBe('run');
  });

  it('answers a retry with the first answer, though the old task was deleted in between', async () => {
    const old = await failedTask();
    const retries: { first: string; request: Invocation; headers: Record<string, string> }[] = [];
    for (const more of [{}, { 'idempotency-key': randomUUID() }]) {
      const headers = { ...active, ...more };
      const request = asking({ taskId: old.id, fromStep: 'b' }, {}, headers);
      const first = taskOf(await at(0).invoke(request));
      retries.push({ first: first.id, request, headers });
    }
    const remove = await fetch(`${gateways.stage.url}/tasks/${old.id}`, { method: 'DELETE' });
    expect(remove.status).toBe(204);
    for (const { first, request } of retries) expect(taskOf(await at(1).invoke(request)).id).toBe(first);
    // Another message with the same key is a conflict, and a new one finds no task to run again.
    const [{ request, headers } = {}] = retries.slice(-1);
    const other = { ...request, ...asking({ taskId: old.id }, {}, headers) };
    expect(await at(1).invoke(other)).toMatchObject({ error: { reason: 'CONFLICT' } });
    expect(await at(1).invoke(asking({ taskId: old.id }))).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } });
  });

  it('gets an error that names the wrong field', async () => {
    const old = await failedTask();
    const live = await submit(gateways.stage.url);
    const refused = async (order: object, more?: object) => at(0).invoke(asking(order, more));
    const metadata = `message.metadata["${rerunUri}"]`;
    expect(await refused({})).toMatchObject({ error: { violations: [`${metadata}.taskId`] } });
    expect(await refused({ taskId: old.id, fromStep: 'z' })).toMatchObject({
      error: { violations: [`${metadata}.fromStep`] },
    });
    expect(await refused({ taskId: old.id }, { taskId: old.id })).toMatchObject({
      error: { violations: ['message.taskId'] },
    });
    expect(await refused({ taskId: old.id }, { contextId: randomUUID() })).toMatchObject({
      error: { violations: ['message.contextId'] },
    });
    expect(await refused({ taskId: randomUUID() })).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } });
    expect(await refused({ taskId: live.id })).toMatchObject({ error: { reason: 'UNSUPPORTED_OPERATION' } });
  });

  it('does not run again if the extension is not requested', async () => {
    const old = await failedTask();
    const task = taskOf(await at(0).invoke(asking({ taskId: old.id }, {}, {})));
    expect(task.contextId).not.toBe(old.contextId);
  });
});

it('is not found by another caller', async () => {
  const keys = ['alice', 'bob'].map((subject) => ({
    key: `key-of-${subject}-0123456789`,
    subject,
    tenant: 'default',
    scopes: [],
  }));
  const url = await gateways.stage.another({ auth: { keys } });
  const as = (n: number): Record<string, string> => ({ 'x-api-key': keys[n]?.key ?? '' });
  const first = taskOf(await overRest(url).invoke({ ...asking({ taskId: 'x' }, {}, as(0)) }));
  const outcome = await overRest(url).invoke(asking({ taskId: first.id }, {}, { ...active, ...as(1) }));
  expect(outcome).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } });
});
