import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListTasksResponse, Task } from '@switchyard/protocol';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../examples/coding-team/model/scripted-model.ts';
import { isAlive } from '../support/descendants.ts';
import { openEventStream } from '../support/event-stream.ts';
import { textOf, userMessage } from '../support/messages.ts';
import { get, getTask, post, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// A host and four agents in one context. The runs of programs are counted in a file, and the model records its
// requests.

const members = ['product', 'design', 'frontend', 'backend'];

let folder: string;
let traceFile: string;
let asked: string[];
let model: ScriptedModel;
let stack: Stack;

const url = (): string => stack.urls[0] ?? '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-team-'));
  traceFile = join(folder, 'trace');
  asked = [];
  model = await startScriptedModel((messages) => asked.push(topicOf(messages[0]?.content ?? '')));
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['coding-team', ...members].map(
      (name) => `examples/coding-team/${name === 'coding-team' ? 'agent' : name}.ts`,
    ),
    gateways: 2,
    workers: 2,
    env: {
      DEFAULT_AGENT: 'coding-team',
      SWEEP_AFTER_MS: '1500',
      SWEEP_MS: '200',
      MAX_ATTEMPTS: '20',
      OPENAI_BASE_URL: model.baseURL,
      OPENAI_MODEL: 'scripted',
      WORKSPACES: join(folder, 'workspaces'),
      CODER_STEP_MS: '400',
      CODING_COMMAND: tracedCoder(),
      // It writes to the trace file outside its workspace.
      CODING_SANDBOX: 'off',
    },
  });
});

afterEach(async () => {
  await stack.stop();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** The example's program with a child process, noting its begin and its end in the trace file. */
function tracedCoder(): string {
  const program = join(process.cwd(), 'examples/coding-team/program/main.ts');
  return [
    `echo "begin $SWITCHYARD_TASK_ID $$" >> ${traceFile}`,
    `sleep 300 & echo "child $SWITCHYARD_TASK_ID $!" >> ${traceFile}`,
    `"${process.execPath}" ${program} || exit $?`,
    `echo "end $SWITCHYARD_TASK_ID" >> ${traceFile}`,
  ].join('\n');
}

function topicOf(system: string): string {
  const topics = { plan: /lead a team/, product: /product manager/, design: /designer/, question: /colleague asks/ };
  if (/has done its work/.test(system)) return 'conclusion';
  return Object.entries(topics).find(([, about]) => about.test(system))?.[0] ?? 'unknown';
}

async function traces(kind: string): Promise<string[]> {
  const text = await readFile(traceFile, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.startsWith(kind));
}

/** The members' tasks in a context. */
async function tasksOf(contextId = ''): Promise<Record<string, Task[]>> {
  const list = async (member: string): Promise<[string, Task[]]> => {
    const { body } = await get<ListTasksResponse>(`${url()}/agents/${member}/tasks?contextId=${contextId}`);
    return [member, body.tasks];
  };
  return Object.fromEntries(await Promise.all(members.map(list)));
}

/** The results and intermediate messages, sorted, since two coders work in parallel. */
function outcomeOf(task: Task): object {
  const files = task.artifacts?.map(({ name, parts }) => ({ name, parts }));
  return {
    state: task.status.state,
    answer: textOf(task.status.message),
    files,
    said: task.history?.map(textOf).sort(),
  };
}

async function work(disturb: (seen: number) => Promise<void>): Promise<Task> {
  const body = { message: userMessage('Build a login system') };
  const stream = await openEventStream(`${url()}/message:stream`, { method: 'POST', body });
  const events = [];
  for await (const event of stream) {
    events.push(event);
    await disturb(events.length);
  }
  return getTask(stack.urls[1] ?? '', events[0]?.data.task?.id ?? '');
}

/** Kills a random worker, and starts another one. */
async function killAWorker(): Promise<void> {
  const { workers } = stack;
  const victim = workers[Math.floor(Math.random() * workers.length)];
  victim?.kill('SIGKILL');
  await victim?.exited;
  await stack.addWorker();
}

/** Different random numbers in this range. */
function drawn(count: number, from: number, to: number): Set<number> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return new Set(numbers.sort(() => Math.random() - 0.5).slice(0, count));
}

describe('a team of coding agents', () => {
  it('delivers the same result and repeats no work when five workers are killed', async () => {
    const undisturbed = await work(async () => undefined);
    expect(undisturbed.status.state).toBe('TASK_STATE_COMPLETED');
    await rm(traceFile);
    asked.length = 0;

    const kills = drawn(5, 2, 12);
    const task = await work(async (seen) => {
      if (kills.delete(seen)) await killAWorker();
    });
    expect(kills.size, 'every kill has taken place').toBe(0);
    expect(outcomeOf(task)).toEqual(outcomeOf(undisturbed));

    const tasks = await tasksOf(task.contextId);
    const states = Object.entries(tasks).map(([member, each]) => [member, ...each.map(({ status }) => status.state)]);
    const done = 'TASK_STATE_COMPLETED';
    // One task for each member's part, and one for the question that the backend answers with a message.
    expect(states).toEqual([
      ['product', done],
      ['design', done],
      ['frontend', done],
      ['backend', done, done],
    ]);

    // The frontend asks, and continues with the answer: two runs of its program, and one of the backend's.
    const begun = (await traces('begin')).map((line) => line.split(' ')[1]);
    expect(begun).toHaveLength(3);
    expect(new Set(begun).size).toBe(2);
    expect(await traces('end')).toHaveLength(3);
    // A killed worker may have asked the model already, but nothing is asked again after its result was stored.
    expect(asked.filter((topic, index) => topic !== asked[index - 1])).toEqual([
      'plan',
      'product',
      'design',
      'question',
      'conclusion',
    ]);
  });

  it("stops with the host's task, including all processes", async () => {
    const { id, contextId } = await submit(url(), userMessage('Build a login system'));
    const programs = async () =>
      (await traces('child')).length === 2 && [...(await traces('begin')), ...(await traces('child'))];
    const lines = await until(programs, { what: 'both programs run', timeoutMs: 30_000 });
    const pids = lines.map((line) => Number(line.split(' ')[2]));
    expect(pids.map(isAlive)).toEqual([true, true, true, true]);

    await post(`${url()}/tasks/${id}:cancel`);
    const canceled = async () => (await getTask(url(), id)).status.state === 'TASK_STATE_CANCELED';
    await until(canceled, { what: 'the task of the host is canceled' });
    const { frontend, backend, product } = await until(
      async () => {
        const tasks = await tasksOf(contextId);
        const open = Object.values(tasks)
          .flat()
          .filter(({ status }) => /SUBMITTED|WORKING/.test(status.state));
        return open.length === 0 && tasks;
      },
      { what: 'the tasks of the members have ended', timeoutMs: 15_000 },
    );
    expect([...(frontend ?? []), ...(backend ?? [])].map(({ status }) => status.state)).toContain(
      'TASK_STATE_CANCELED',
    );
    expect(product?.map(({ status }) => status.state)).toEqual(['TASK_STATE_COMPLETED']);
    await until(() => !pids.some(isAlive), { what: 'no process is left', timeoutMs: 15_000 });
    expect(await traces('end')).toEqual([]);
  });
});
