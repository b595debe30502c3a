import { type StreamResponse, type Task, type TaskUsage, usageUri } from '@switchyard/protocol';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { getTask, post } from '../support/rest.ts';
import { aiPath, anthropicPath, openScriptedModel, type ScriptedModel } from '../support/scripted-model.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['spender', 'buyer'],
    env: { SWEEP_AFTER_MS: '1500', SWEEP_MS: '200' },
  });
});

afterAll(() => stack.stop());

const agent = (id: string): string => `${stack.urls[0]}/agents/${id}`;
const usageIn = ({ metadata }: Pick<Task, 'metadata'>): TaskUsage | undefined =>
  metadata?.[usageUri] as TaskUsage | undefined;

/** The amounts of all answers to these prompts. */
function sumOf({ answered }: ScriptedModel, ...prompts: string[]) {
  const of = answered.filter(({ prompt }) => prompts.includes(prompt));
  return {
    calls: of.length,
    unpricedCalls: of.length,
    inputTokens: of.reduce((sum, { input }) => sum + input, 0),
    outputTokens: of.reduce((sum, { output }) => sum + output, 0),
  };
}

async function begin(url: string): Promise<string> {
  const request = { message: userMessage(url), configuration: { returnImmediately: true } };
  return (await post<{ task: Task }>(`${agent('spender')}/message:send`, request)).body.task.id;
}

async function ended(taskId: string): Promise<Task> {
  const isDone = async () => {
    const task = await getTask(agent('spender'), taskId);
    return task.status.state === 'TASK_STATE_COMPLETED' && task;
  };
  return until(isDone, { what: 'the task is done', timeoutMs: 20_000 });
}

function expectExact(task: Task, model: ScriptedModel): void {
  const usage = usageIn(task);
  expect(usage?.total).toEqual(sumOf(model, 'plan', 'sum up', 'look', 'buy'));
  expect(usage?.own).toEqual([{ model: 'scripted', ...sumOf(model, 'plan', 'sum up') }]);
  expect(usage?.calls).toMatchObject([{ agent: 'buyer', ...sumOf(model, 'look', 'buy') }]);
}

it('the usage of a task adds up to what the model was asked, and comes with its last event', async () => {
  await using model = await openScriptedModel();
  const request = { message: userMessage(model.url) };
  const answer = await fetch(`${agent('spender')}/message:stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify(request),
  });
  const events = (await answer.text()).split('\n').flatMap((line): StreamResponse[] => {
    return line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : [];
  });
  const last = events.at(-1)?.statusUpdate;
  const task = await getTask(agent('spender'), last?.taskId ?? '');
  expectExact(task, model);
  expect(last?.metadata?.[usageUri]).toEqual(usageIn(task));
});

it.each([
  ['the caller, while its model answers', 'sum up', ''],
  ['both, while the model of the called agent answers', 'buy', ''],
  ['the caller, while its model of Anthropic answers', 'sum up', anthropicPath],
  ['the caller, while its model of the Vercel AI SDK answers', 'sum up', aiPath],
])('a worker that is killed loses no usage and counts none twice: %s', async (_, heldPrompt, path) => {
  let isHeld = true;
  await using model = await openScriptedModel((prompt) => prompt === heldPrompt && isHeld);
  const taskId = await begin(`${model.url}${path}`);
  await until(() => model.asked.includes(heldPrompt), { what: `the model is asked to ${heldPrompt}` });
  isHeld = false;
  const [worker] = stack.workers;
  worker?.kill('SIGKILL');
  await worker?.exited;
  await stack.addWorker();
  const task = await ended(taskId);
  expect(model.asked.length).toBeGreaterThan(4);
  expectExact(task, model);
});
