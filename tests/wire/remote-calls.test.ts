import type { ListTasksResponse, Message, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { textOf, userMessage } from '../support/messages.ts';
import { get, getTask, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// An agent calls another one by its id, or by the URL of its card in another deployment.

let here: Stack;
let there: Stack;
let echoThere: string;

beforeAll(async () => {
  const redisUrl = inject('redisUrl');
  const allowed = { AGENT_ALLOW_HTTP: 'true', AGENT_ALLOW_HOSTS: '127.0.0.1' };
  const env = { SWEEP_AFTER_MS: '1500', SWEEP_MS: '200', ...allowed };
  [here, there] = await Promise.all([
    startStack({ redisUrl, agents: ['caller', 'echo'], env }),
    startStack({ redisUrl, agents: ['echo'] }),
  ]);
  echoThere = `${there.urls[0]}/agents/echo/.well-known/agent-card.json`;
});

afterAll(() => Promise.all([here?.stop(), there?.stop()]));

async function send(agent: string, message: Message, returnImmediately = false): Promise<Task> {
  const body = { message, metadata: { agent }, configuration: { returnImmediately } };
  const answer = await post<{ task: Task }>(`${here.urls[0]}/message:send`, body);
  return answer.body.task;
}

const said = ({ status }: Task): string => `${status.state.replace('TASK_STATE_', '')} ${textOf(status.message)}`;

describe.each([
  ['by its id', () => 'echo'],
  ['by the URL of its card', () => echoThere],
])('an agent called %s', (_, agent) => {
  it('returns its answer', async () => {
    expect(said(await send(agent(), userMessage('hello')))).toBe('COMPLETED hello');
  });

  it('returns its artifact', async () => {
    expect(said(await send(agent(), userMessage('stream 3')))).toContain('chunk 1');
  });

  it('asks the client, and gets the answer', async () => {
    const asked = await send(agent(), userMessage('ask'));
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(said(await send(agent(), userMessage('blue', asked)))).toBe('COMPLETED blue');
  });

  it('asks for an authorization', async () => {
    const asked = await send(agent(), userMessage('auth'));
    expect(asked.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('can fail or reject', async () => {
    expect(said(await send(agent(), userMessage('reject')))).toMatch(/^FAILED TASK_STATE_REJECTED: /);
    expect(said(await send(agent(), userMessage('fail')))).toMatch(/^FAILED TASK_STATE_FAILED: /);
  });
});

describe('a call of a remote agent', () => {
  it("is not repeated when the caller's worker is killed", async () => {
    const { id } = await send(echoThere, userMessage('slow 5000'), true);
    const isCalled = async (): Promise<boolean> =>
      (await tasksThere()).some(({ status }) => status.state === 'TASK_STATE_WORKING');
    await until(isCalled, { what: 'the other agent is at work' });
    const before = (await tasksThere()).length;
    here.workers[0]?.kill('SIGKILL');
    await here.addWorker();
    const done = async (): Promise<boolean> =>
      (await getTask(here.urls[0] ?? '', id)).status.state === 'TASK_STATE_COMPLETED';
    await until(done, { what: 'the call is answered', timeoutMs: 14_000 });
    expect(await tasksThere()).toHaveLength(before);
  });

  it('is canceled together with its caller', async () => {
    const { id } = await send(echoThere, userMessage('slow 60000'), true);
    const working = async (): Promise<Task | undefined> =>
      (await tasksThere()).find(({ status }) => status.state === 'TASK_STATE_WORKING');
    const called = await until(working, { what: 'the other agent is at work' });
    await post(`${here.urls[0]}/tasks/${id}:cancel`);
    const isCanceled = async (): Promise<boolean> =>
      (await getTask(`${there.urls[0]}/agents/echo`, called.id)).status.state === 'TASK_STATE_CANCELED';
    await until(isCanceled, { what: 'the other agent’s task is canceled' });
  });

  it('cannot be requested by a client', async () => {
    const agent = encodeURIComponent(`@${echoThere}`);
    const { status } = await post(`${here.urls[0]}/agents/${agent}/message:send`, { message: userMessage('hello') });
    expect(status).toBe(404);
  });
});

async function tasksThere(): Promise<Task[]> {
  const { body } = await get<ListTasksResponse>(`${there.urls[0]}/agents/echo/tasks`);
  return body.tasks;
}
