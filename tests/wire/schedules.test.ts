import { randomUUID } from 'node:crypto';
import { scheduleUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { get, getTask, post } from '../support/rest.ts';
import { sdkBindings } from '../support/sdk-clients.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { patience, until } from '../support/until.ts';

// On a busy machine processes start slowly.
// Two gateways and two workers. The official clients schedule messages over every binding; each process is killed while
// they wait, and while they start.

let stack: Stack;

const headers = { 'a2a-extensions': scheduleUri };
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const scheduleOf = ({ metadata }: Task) => Object(metadata?.[scheduleUri]);
const url = (): string => stack.urls[0] ?? '';

beforeAll(async () => {
  const env = { LEASE_MS: '1000', SWEEP_EVERY_MS: '200', SWEEP_AFTER_MS: '500', MIN_CRON_INTERVAL_MS: '1000' };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], gateways: 2, workers: 2, env });
});

afterAll(() => stack?.stop());

async function replaceWorker(): Promise<void> {
  const [doomed] = stack.workers;
  doomed?.kill('SIGKILL');
  await doomed?.exited;
  await stack.addWorker();
}

async function replaceGateway(): Promise<void> {
  const [doomed] = stack.gateways;
  doomed?.kill('SIGKILL');
  await doomed?.exited;
  await stack.addGateway();
}

/** The states of its events, from the first one on. */
async function statesOf(taskId: string): Promise<string[]> {
  const stream = await openEventStream(`${url()}/tasks/${taskId}:subscribe`, { lastEventId: 0 });
  const events = (await stream.rest()).map(({ text }) => JSON.parse(text));
  return events.flatMap(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state ?? []);
}

async function completed(taskId: string): Promise<Task> {
  const isCompleted = async (): Promise<Task | false> => {
    const task = await getTask(url(), taskId);
    return task.status?.state === 'TASK_STATE_COMPLETED' && task;
  };
  return until(isCompleted, { what: `task ${taskId} is completed`, timeoutMs: 30_000 });
}

async function tasksOf(contextId: string): Promise<Task[]> {
  const { body } = await get<{ tasks: Task[] }>(`${url()}/tasks?contextId=${contextId}&pageSize=100`);
  return body.tasks.toSorted((a, b) => (scheduleOf(a).at < scheduleOf(b).at ? -1 : 1));
}

async function series(more: object): Promise<Task> {
  const contextId = randomUUID();
  const metadata = { [scheduleUri]: { cron: '* * * * * *', ...more } };
  const message = { ...userMessage('hello'), contextId, metadata };
  const { status, body } = await post<{ task: Task }>(`${url()}/message:send`, { message }, headers);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.task;
}

describe('Messages scheduled by the official clients', () => {
  it('start once, at their time, though every process is killed before or then', async () => {
    const at = inMs(6_000);
    const options = { extensions: [scheduleUri], messageMetadata: { [scheduleUri]: { at } }, isBlocking: true };
    const ids = await Promise.all(sdkBindings.map(async (binding) => (await binding.at(url())).send('hello', options)));
    expect(Date.now()).toBeLessThan(Date.parse(at));
    const before = await Promise.all(ids.map((id) => getTask(url(), id)));
    expect(before.map((task) => [task.status.state, scheduleOf(task)])).toEqual(
      ids.map(() => ['TASK_STATE_SUBMITTED', { at }]),
    );
    await Promise.all([replaceGateway(), replaceWorker()]);
    await until(() => Date.now() >= Date.parse(at), { what: 'their time' });
    await Promise.all([replaceGateway(), replaceWorker()]);
    for (const id of ids) {
      await completed(id);
      const states = await statesOf(id);
      expect(states.filter((state) => state === 'TASK_STATE_SUBMITTED')).toHaveLength(2);
      expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
    }
  });

  it.each(sdkBindings)('are canceled over $name, and do not start', async (binding) => {
    const client = await binding.at(url());
    const id = await client.send('hello', {
      extensions: [scheduleUri],
      messageMetadata: { [scheduleUri]: { at: inMs(500 * patience) } },
    });
    expect(await client.cancel(id)).toMatch(/canceled/i);
    expect(await statesOf(id)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_CANCELED']);
  });
});

describe('A cron schedule', () => {
  it('has each of its tasks once and leaves none out, though every process is killed', async () => {
    const times = 12;
    const { contextId = '' } = await series({ times });
    for (let i = 0; i < 2; i++) {
      await replaceWorker();
      await replaceGateway();
    }
    const all = await until(
      async () => {
        const tasks = await tasksOf(contextId);
        return tasks.length >= times && tasks.every(({ status }) => status.state === 'TASK_STATE_COMPLETED') && tasks;
      },
      { what: 'all tasks are completed', timeoutMs: 60_000 },
    );
    expect(all.map((task) => scheduleOf(task).times)).toEqual(Array.from({ length: times }, (_, i) => times - i));
    expect(all.map((task) => scheduleOf(task).previousTaskId)).toEqual([
      undefined,
      ...all.slice(0, -1).map(({ id }) => id),
    ]);
  });

  it('ends when the waiting task is canceled', async () => {
    const { contextId = '' } = await series({});
    const waits = await until(
      async () => {
        const tasks = await tasksOf(contextId);
        const last = tasks.at(-1);
        return tasks.length > 2 && last?.status.state === 'TASK_STATE_SUBMITTED' && last;
      },
      { what: 'the third task waits', timeoutMs: 30_000 },
    );
    const canceled = async (task: Task): Promise<boolean> => {
      const { body } = await post<Task>(`${url()}/tasks/${task.id}:cancel`);
      return body.status?.state === 'TASK_STATE_CANCELED';
    };
    // The task may start before the cancel: then the next one waits.
    let isCanceled = await canceled(waits);
    await until(
      async () => {
        const submitted = (await tasksOf(contextId)).filter(({ status }) => status.state === 'TASK_STATE_SUBMITTED');
        for (const task of submitted) isCanceled = await canceled(task);
        return submitted.length === 0;
      },
      { what: 'no task waits' },
    );
    const { length } = await tasksOf(contextId);
    const later = inMs(2_500);
    await until(() => new Date().toISOString() > later, { what: 'two more times' });
    expect([isCanceled, (await tasksOf(contextId)).length]).toEqual([true, length]);
  });
});
