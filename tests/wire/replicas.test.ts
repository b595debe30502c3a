import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { get, getTask, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// Two gateways and two workers: every gateway knows what any of them accepted.

let stack: Stack;
let here: string;
let there: string;

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], gateways: 2, workers: 2 });
  [here = '', there = ''] = stack.urls;
});

afterAll(() => stack.stop());

describe('a task accepted by one gateway', () => {
  it('can be polled to its end at the other one', async () => {
    const { id } = await submit(here, userMessage('hello'));
    const completed = async (): Promise<Task | false> => {
      const task = await getTask(there, id);
      return task.status.state === 'TASK_STATE_COMPLETED' && task;
    };
    const task = await until(completed, { what: 'the task is completed' });
    expect(task).toEqual(await getTask(here, id));
  });

  it('has the same ETag at both, and gets 304 for it', async () => {
    const { id } = await submit(here, userMessage('ask'));
    const asked = async (): Promise<boolean> => (await getTask(there, id)).status.state === 'TASK_STATE_INPUT_REQUIRED';
    await until(asked, { what: 'the agent waits for input' });
    const first = await get<Task>(`${here}/tasks/${id}`);
    const etag = first.headers.get('etag') ?? '';
    const again = await get(`${there}/tasks/${id}`, { 'if-none-match': etag });
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, undefined, etag]);
    await submit(there, userMessage('the answer', first.body));
    const changed = await get<Task>(`${there}/tasks/${id}`, { 'if-none-match': etag });
    expect([changed.status, changed.body.history?.length]).toEqual([200, expect.any(Number)]);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('can be awaited at the other one, change by change', async () => {
    const { id } = await submit(here, userMessage('slow 300'));
    const states: string[] = [];
    let etag = '';
    while (states.at(-1) !== 'TASK_STATE_COMPLETED') {
      const { status, headers, body } = await get<Task>(`${there}/tasks/${id}`, {
        prefer: 'wait=10',
        ...(etag !== '' && { 'if-none-match': etag }),
      });
      // It is not answered before the task changes.
      expect(status).toBe(200);
      states.push(body.status.state);
      etag = headers.get('etag') ?? '';
    }
    expect(states.length).toBeLessThanOrEqual(3);
  });

  it('can be streamed at the other one, to its end', async () => {
    const { id } = await submit(here, userMessage('slow 1000'));
    const stream = await openEventStream(`${there}/tasks/${id}:subscribe`);
    const events = await stream.rest();
    expect(events[0]?.data.task?.id).toBe(id);
    expect(events.at(-1)?.data.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
  });

  it('is listed by both', async () => {
    const { contextId } = await submit(here, userMessage('ask'));
    const lists = await Promise.all(
      [here, there].map((url) => get<{ totalSize: number }>(`${url}/tasks?contextId=${contextId}`)),
    );
    expect(lists.map(({ body }) => body.totalSize)).toEqual([1, 1]);
  });

  it('is the same when its message is repeated at the other one', async () => {
    const message = userMessage('hello');
    const first = await submit(here, message);
    const again = await submit(there, message);
    expect(again.id).toBe(first.id);
  });
});

describe('a second message while a turn runs', () => {
  it('runs next, not in parallel, whatever gateway and worker get it', async () => {
    const first = await submit(here, userMessage('slow 1500'));
    const stream = await openEventStream(`${there}/tasks/${first.id}:subscribe`);
    const working = await stream.until(({ statusUpdate, task }) => Boolean((statusUpdate ?? task)?.status.message));
    await submit(there, userMessage('slow 1', first));
    const events = [...working, ...(await stream.rest())];
    const said = events.flatMap(({ data }) => (data.statusUpdate ?? data.task)?.status.message?.parts[0]?.text ?? []);
    expect(said).toEqual(['Taking my time', 'Done', 'Taking my time', 'Done']);
    const { status } = await getTask(here, first.id);
    expect(status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('runs in order of acceptance, also with many others', async () => {
    const first = await submit(here, userMessage('slow 1500'));
    const others = ['one', 'two', 'three', 'four'];
    for (const [index, text] of others.entries()) await submit(index % 2 ? here : there, userMessage(text, first));
    const completed = async (): Promise<Task | false> => {
      const task = await getTask(there, first.id);
      return task.status.state === 'TASK_STATE_COMPLETED' && task;
    };
    const { history } = await until(completed, { what: 'all turns have run' });
    const agent = history?.filter(({ role }) => role === 'ROLE_AGENT').map(({ parts }) => parts[0]?.text);
    expect(agent).toEqual(['Taking my time', 'Done', ...others]);
  });
});
