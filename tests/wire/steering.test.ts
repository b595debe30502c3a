import type { AgentCard, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import type { Program } from '../support/process.ts';
import { get, getTask, post, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// Messages for a running task (docs/extensions/steering.md): two gateways and two workers, some of which are killed.

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['pilot', 'recluse'],
    gateways: 2,
    workers: 2,
    env: { LOG_LEVEL: 'info' },
  });
});

afterAll(() => stack.stop());

const at = (gateway: number, agent = 'pilot'): string => `${stack.urls[gateway % stack.urls.length]}/agents/${agent}`;
const immediate = { returnImmediately: true };

async function sendTo(url: string, taskId: string, text: string, messageId?: string): Promise<number> {
  const message = { ...userMessage(text), taskId, ...(messageId && { messageId }) };
  return (await post(`${url}/message:send`, { message, configuration: immediate })).status;
}

const said = ({ status }: Task): string => status.message?.parts[0]?.text ?? '';

/** Resolves when the agent's status has this text. */
const untilSaid = (taskId: string, text: string): Promise<unknown> =>
  until(async () => said(await getTask(at(0), taskId)) === text, { what: `the pilot says ${text}`, timeoutMs: 20_000 });

const ended = (taskId: string): Promise<Task> =>
  until(
    async () => {
      const task = await getTask(at(1), taskId);
      return task.status.state === 'TASK_STATE_COMPLETED' && task;
    },
    { what: 'the task is completed', timeoutMs: 20_000 },
  );

function workerOf(taskId: string): Promise<Program> {
  const begun = new RegExp(`"event":"turn-begun"[^\\n]*${taskId}|${taskId}[^\\n]*"event":"turn-begun"`);
  return until(() => stack.workers.find((each) => begun.test(each.output())), { what: 'the log names the worker' });
}

const userTexts = ({ history = [] }: Task): (string | undefined)[] =>
  history.filter(({ role }) => role === 'ROLE_USER').map(({ parts }) => parts[0]?.text);

describe('A message for a running task whose agent accepts messages', () => {
  it('is passed to the running turn, in order, and its blocking call returns the outcome', async () => {
    const { id } = await submit(at(0), userMessage('start'));
    await untilSaid(id, 'in the air');
    expect(await sendTo(at(1), id, 'left')).toBe(200);
    await untilSaid(id, 'told left');
    expect(await sendTo(at(0), id, 'right')).toBe(200);
    const { body } = await post<{ task: Task }>(`${at(1)}/message:send`, {
      message: { ...userMessage('land'), taskId: id },
    });
    expect([body.task.status.state, said(body.task)]).toEqual(['TASK_STATE_COMPLETED', 'start, left, right, land']);
    expect(userTexts(body.task)).toEqual(['start', 'left', 'right', 'land']);
  });

  it('is passed on once, though it is repeated', async () => {
    const { id } = await submit(at(0), userMessage('start'));
    await untilSaid(id, 'in the air');
    const messageId = crypto.randomUUID();
    for (const gateway of [0, 1, 0]) expect(await sendTo(at(gateway), id, 'up', messageId)).toBe(200);
    expect(await sendTo(at(0), id, 'land')).toBe(200);
    expect(said(await ended(id))).toBe('start, up, land');
  });

  it('runs next if the turn ended without it', async () => {
    const { id } = await submit(at(0), userMessage('glide'));
    await untilSaid(id, 'in the air');
    expect(await sendTo(at(1), id, 'glide')).toBe(200);
    expect(await sendTo(at(1), id, 'land')).toBe(200);
    expect(await sendTo(at(0), id, 'land')).toBe(200);
    // The third turn runs the first of them, and is steered by the second.
    const task = await ended(id);
    expect([said(task), userTexts(task)]).toEqual(['land, land', ['glide', 'glide', 'land', 'land']]);
  });

  it('is passed on again, once and in order, to the turn that takes over when the worker is killed', async () => {
    const { id } = await submit(at(0), userMessage('start'));
    await untilSaid(id, 'in the air');
    expect(await sendTo(at(0), id, 'left')).toBe(200);
    await untilSaid(id, 'told left');
    (await workerOf(id)).kill('SIGKILL');
    expect(await sendTo(at(1), id, 'right')).toBe(200);
    await untilSaid(id, 'told right');
    await stack.addWorker();
    expect(await sendTo(at(0), id, 'land')).toBe(200);
    const task = await ended(id);
    expect(said(task)).toBe('start, left, right, land');
    expect(userTexts(task)).toEqual(['start', 'left', 'right', 'land']);
  });

  it('is not lost when the gateway that accepted it is killed', async () => {
    const { id } = await submit(at(0), userMessage('start'));
    await untilSaid(id, 'in the air');
    expect(await sendTo(at(1), id, 'left')).toBe(200);
    stack.gateways[1]?.kill('SIGKILL');
    expect(await sendTo(at(0), id, 'land')).toBe(200);
    expect(said(await ended(id))).toBe('start, left, land');
    await stack.addGateway();
  });
});

describe('A message for a running task whose agent accepts none', () => {
  it('is refused, not stored, and accepted when the agent asks', async () => {
    const url = at(0, 'recluse');
    const { id } = await submit(url, userMessage('1500'));
    await until(async () => said(await getTask(url, id)) === 'do not disturb', { what: 'it works' });
    const messageId = crypto.randomUUID();
    expect(await sendTo(at(1, 'recluse'), id, 'enough', messageId)).toBe(400);
    await until(async () => said(await getTask(url, id)) === 'What else?', { what: 'it asks' });
    expect(userTexts(await getTask(url, id))).toEqual(['1500']);
    expect(await sendTo(at(1, 'recluse'), id, 'enough', messageId)).toBe(200);
    await until(async () => said(await getTask(url, id)) === 'done', { what: 'it completes' });
  });
});

it('the card tells whether the agent accepts messages while it works', async () => {
  const params = async (agent: string): Promise<unknown> => {
    const { body } = await get<AgentCard>(`${at(0, agent)}/.well-known/agent-card.json`);
    return body.capabilities.extensions?.find(({ uri }) => uri?.endsWith('/steering/v1'))?.params;
  };
  expect([await params('pilot'), await params('recluse')]).toEqual([
    { whileWorking: 'steer' },
    { whileWorking: 'reject' },
  ]);
});
