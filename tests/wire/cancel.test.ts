import type { Task } from '@switchyard/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { callJsonRpc } from '../support/json-rpc.ts';
import { transcript, userMessage } from '../support/messages.ts';
import { type ErrorBody, getTask, post, type RestAnswer, send, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
let stack: Stack;
let here: string;
let there: string;

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], gateways: 2 });
  [here = '', there = ''] = stack.urls;
});

afterEach(async () => {
  if (stack.workers.length === 0) await stack.addWorker();
});

afterAll(() => stack.stop());

const cancel = (url: string, id: string): Promise<RestAnswer<Task>> => post<Task>(`${url}/tasks/${id}:cancel`);
const refusal = (url: string, id: string): Promise<RestAnswer<ErrorBody>> =>
  post<ErrorBody>(`${url}/tasks/${id}:cancel`);

async function stopWorkers(): Promise<void> {
  await Promise.all(stack.workers.map((worker) => worker.stop()));
}

/** A task with a turn that runs for a minute. */
async function runningTask(): Promise<Task> {
  const task = await submit(here, userMessage('slow 60000'));
  const isWorking = async (): Promise<boolean> => (await getTask(here, task.id)).status.state === 'TASK_STATE_WORKING';
  await until(isWorking, { what: 'the agent is at work' });
  return task;
}

describe('cancel of a waiting task', () => {
  it('ends it at once without a worker, and a later worker does not run it', async () => {
    await stopWorkers();
    const { id } = await submit(here, userMessage('hello'));
    const { status, body } = await cancel(there, id);
    expect([status, body.status.state]).toEqual([200, 'TASK_STATE_CANCELED']);
    await stack.addWorker();
    // The queue is ordered: once this task is done, earlier ones were looked at.
    await send(here, userMessage('later'));
    expect(await getTask(here, id)).toEqual(body);
    expect(transcript(body)).toEqual(['user: hello']);
  });

  it('ends it at once while it waits for input, and a later answer is refused', async () => {
    const task = await send(here, userMessage('ask'));
    const { body } = await cancel(there, task.id);
    expect(body.status.state).toBe('TASK_STATE_CANCELED');
    const late = await post<ErrorBody>(`${here}/message:send`, { message: userMessage('the answer', task) });
    expect(late.body.error.details[0]).toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
  });

  it('ends the blocking call of its sender', async () => {
    await stopWorkers();
    const message = userMessage('hello');
    const answer = send(here, message);
    // The same message again gets the same task: its sender, who still waits, cannot tell the id.
    const { id } = await submit(there, message);
    await cancel(there, id);
    expect((await answer).status.state).toBe('TASK_STATE_CANCELED');
  });
});

describe('cancel of a running task', () => {
  it('stops the agent, and returns the canceled task', async () => {
    const { id } = await runningTask();
    const { status, body } = await cancel(there, id);
    expect([status, body.status.state]).toEqual([200, 'TASK_STATE_CANCELED']);
    const line = (): string | undefined =>
      stack.workers[0]
        ?.output()
        .split('\n')
        .find((text) => text.includes('turn-ended') && text.includes(id));
    const ended = await until(line, { what: 'the turn has ended' });
    expect(JSON.parse(ended)).toMatchObject({ task: id, attempt: 1, outcome: 'interrupted-canceled' });
  });

  it('ends all its streams with the status canceled', async () => {
    const { id } = await runningTask();
    const streams = await Promise.all([here, there].map((url) => openEventStream(`${url}/tasks/${id}:subscribe`)));
    await cancel(here, id);
    for (const stream of streams) {
      const events = await stream.rest();
      expect(events.at(-1)?.data.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
    }
  });

  it('names the waiting messages', async () => {
    const task = await runningTask();
    const waiting = userMessage('and this', task);
    await submit(there, waiting);
    const { body } = await cancel(here, task.id);
    expect(body.metadata).toEqual({ 'switchyard.droppedMessageIds': [waiting.messageId] });
  });

  it('works over JSON-RPC, too', async () => {
    const { id } = await runningTask();
    const { result } = await callJsonRpc<Task>(there, 'CancelTask', { id });
    expect(result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  it('happens once when many clients request it together', async () => {
    const { id } = await runningTask();
    const answers = await Promise.all([here, there, here, there].map((url) => cancel(url, id)));
    expect(answers.map(({ status, body }) => [status, body.status.state])).toEqual(
      answers.map(() => [200, 'TASK_STATE_CANCELED']),
    );
    expect(new Set(answers.map(({ body }) => body.status.timestamp)).size).toBe(1);
  });
});

describe('cancel of an ended task', () => {
  it('is refused if the task is completed', async () => {
    const task = await send(here, userMessage('hello'));
    const { status, body } = await refusal(there, task.id);
    expect(status).toBe(400);
    expect(body.error.details[0]).toMatchObject({ reason: 'TASK_NOT_CANCELABLE' });
    const { error } = await callJsonRpc(there, 'CancelTask', { id: task.id });
    expect(error?.code).toBe(-32002);
    expect(await getTask(here, task.id)).toEqual(task);
  });

  it.each(['fail', 'reject', 'crash'])('is refused if the task ended by "%s"', async (command) => {
    const task = await send(here, userMessage(command));
    const { body } = await refusal(there, task.id);
    expect(body.error.details[0]).toMatchObject({ reason: 'TASK_NOT_CANCELABLE' });
  });

  it('returns the task if it is canceled already', async () => {
    const { id } = await send(here, userMessage('ask'));
    const first = await cancel(here, id);
    const again = await cancel(there, id);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('answers 404 for an unknown task', async () => {
    const { status, body } = await refusal(here, 'nothing');
    expect(status).toBe(404);
    expect(body.error.details[0]).toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });
});
