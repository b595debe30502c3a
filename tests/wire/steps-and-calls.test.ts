import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListTasksResponse, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { textOf, userMessage } from '../support/messages.ts';
import { get, getTask, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// The agents' steps are counted by their traces in a file. Their workers are killed in the middle.

let stack: Stack;
let folder: string;
let url: string;

const agent = (id: string): string => `${url}/agents/${id}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-steps-'));
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['stepper', 'team-host', 'team-member'],
    workers: 2,
    env: { SWEEP_AFTER_MS: '1500', SWEEP_MS: '200' },
  });
  [url = ''] = stack.urls;
});

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

interface Begun {
  readonly task: Task;
  readonly traces: () => Promise<string[]>;
}

/** Sends a message with the name of a new trace file for its agent. */
async function begin(id: string, metadata: object): Promise<Begun> {
  const file = join(folder, crypto.randomUUID());
  const message = userMessage('Go');
  const body = { message, metadata: { ...metadata, file }, configuration: { returnImmediately: true } };
  const answer = await post<{ task: Task }>(`${agent(id)}/message:send`, body);
  const read = async (): Promise<string> => readFile(file, 'utf8').catch(() => '');
  return { task: answer.body.task, traces: async () => (await read()).split('\n').slice(0, -1) };
}

const stateIs = async (id: string, taskId: string, state: string): Promise<Task | false> => {
  const task = await getTask(agent(id), taskId);
  return task.status.state === `TASK_STATE_${state}` && task;
};

const reaches = (id: string, taskId: string, state: string): Promise<Task> =>
  until(() => stateIs(id, taskId, state), { what: `${id} ${state}` });

async function traced({ traces }: Begun, pattern: RegExp): Promise<string> {
  const find = async (): Promise<string> => (await traces()).find((line) => pattern.test(line)) ?? '';
  return until(find, { what: `a trace like ${pattern}` });
}

/** Kills the worker that wrote this trace, and starts another one. */
async function killWorkerOf(trace: string): Promise<void> {
  const pid = Number(trace.split(' ').at(-1));
  const worker = stack.workers.find((one) => one.pid === pid);
  if (!worker) throw new Error(`no worker has the pid ${pid}`);
  worker.kill('SIGKILL');
  await worker.exited;
  await stack.addWorker();
}

const members = async (contextId = ''): Promise<Task[]> =>
  (await get<ListTasksResponse>(`${agent('team-member')}/tasks?contextId=${contextId}`)).body.tasks;

describe('a step whose worker is killed in the middle', () => {
  it('runs again, but no step before it, and nothing is published twice', async () => {
    const begun = await begin('stepper', { pauseMs: 60_000 });
    // From the very first event on.
    const stream = await openEventStream(`${agent('stepper')}/tasks/${begun.task.id}:subscribe`, { lastEventId: 0 });
    await killWorkerOf(await traced(begun, /^second/));
    const events = await stream.rest();
    const done = (await begun.traces()).map((trace) => trace.split(' ')[0]);
    expect(done).toEqual(['first', 'second', 'second', 'third']);

    const said = events.flatMap(({ data: { statusUpdate, artifactUpdate } }) => {
      const [part] = (statusUpdate?.status.message ?? artifactUpdate?.artifact)?.parts ?? [];
      return part?.text ?? [];
    });
    const pid = (await begun.traces())[0]?.split(' ')[1];
    expect(said).toEqual(['half of it', 'one ', 'two ', 'three', 'all of it', `done first by ${pid}`]);
    const task = await getTask(agent('stepper'), begun.task.id);
    expect(task.artifacts).toMatchObject([{ name: 'Page', parts: [{ text: 'one two three' }] }]);
    expect(task.history?.map((message) => textOf(message))).toEqual([
      'Go',
      'half of it',
      'all of it',
      `done first by ${pid}`,
    ]);
  });
});

describe('a team', () => {
  it('has a task for each member, in one context', async () => {
    const begun = await begin('team-host', { workMs: 0 });
    const task = await reaches('team-host', begun.task.id, 'COMPLETED');
    expect(textOf(task.status.message)).toBe('design done and build done, 2 tasks besides');
    const tasks = await members(task.contextId);
    expect(tasks.map(({ contextId, history }) => [contextId, history?.[0]?.referenceTaskIds])).toEqual([
      [task.contextId, [task.id]],
      [task.contextId, [task.id]],
    ]);
  });

  it("continues after the host's worker was killed, and no member works twice", async () => {
    const begun = await begin('team-host', { workMs: 6_000 });
    const host = await traced(begun, /^host/);
    await traced(begun, /^begun build/);
    await traced(begun, /^begun design/);
    await killWorkerOf(host);
    await reaches('team-host', begun.task.id, 'COMPLETED');
    expect(await members(begun.task.contextId)).toHaveLength(2);
    const traces = await begun.traces();
    // Twice, or more often: a member that began again has the host wait so long that its turn is suspended.
    expect(traces.filter((trace) => trace.startsWith('host')).length).toBeGreaterThanOrEqual(2);
    expect(traces.filter((trace) => trace.startsWith('done')).sort()).toEqual(['done build', 'done design']);
  });

  it('is canceled with its host', async () => {
    const begun = await begin('team-host', { workMs: 60_000 });
    await traced(begun, /^begun build/);
    await traced(begun, /^begun design/);
    await post(`${agent('team-host')}/tasks/${begun.task.id}:cancel`);
    await reaches('team-host', begun.task.id, 'CANCELED');
    const states = async (): Promise<boolean> =>
      (await members(begun.task.contextId)).every(({ status }) => status.state === 'TASK_STATE_CANCELED');
    await until(states, { what: 'every member is canceled' });
  });

  it("is canceled with its host, also if the host's worker was killed before", async () => {
    const begun = await begin('team-host', { workMs: 60_000 });
    const host = await traced(begun, /^host/);
    await traced(begun, /^begun build/);
    await traced(begun, /^begun design/);
    const worker = stack.workers.find(({ pid }) => host.endsWith(String(pid)));
    worker?.kill('SIGKILL');
    await post(`${agent('team-host')}/tasks/${begun.task.id}:cancel`);
    await stack.addWorker();
    await reaches('team-host', begun.task.id, 'CANCELED');
    const states = async (): Promise<boolean> =>
      (await members(begun.task.contextId)).every(({ status }) => status.state === 'TASK_STATE_CANCELED');
    await until(states, { what: 'every member is canceled' });
    expect((await begun.traces()).filter((trace) => trace.startsWith('done'))).toEqual([]);
  });
});
