import { type AgentCard, type ListTasksResponse, skillUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startCollector, type TestCollector } from '../support/collector.ts';
import { textOf, userMessage } from '../support/messages.ts';
import { get, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// A client, two gateways and an agent behind the second one: extensions work across both gateways.

let collector: TestCollector;
let there: Stack;
let here: Stack;
let url: string;

beforeAll(async () => {
  const redisUrl = inject('redisUrl');
  collector = await startCollector();
  const traces = { TRACES: 'otlp', TRACES_URL: collector.url, TRACE_QUEUE: 'parent' };
  there = await startStack({ redisUrl, agents: ['caller', 'echo', 'skilled'], env: traces });
  const env = { ...traces, THERE_URL: there.urls[0] ?? '' };
  here = await startStack({ redisUrl, agents: ['front-caller', 'front-skilled'], env });
  [url = ''] = here.urls;
});

afterAll(async () => {
  await Promise.all([here?.stop(), there?.stop()]);
  await collector?.close();
});

async function tasksOf(agent: string): Promise<Task[]> {
  const { body } = await get<ListTasksResponse>(`${there.urls[0]}/agents/${agent}/tasks`);
  return body.tasks;
}

it('a cancel at the first gateway reaches what the agent behind the second one has called', async () => {
  const request = { message: userMessage('slow 60000'), metadata: { agent: 'echo' } };
  const sent = { ...request, configuration: { returnImmediately: true } };
  const { body } = await post<{ task: Task }>(`${url}/agents/front-caller/message:send`, sent);
  const isWorking = async () => (await tasksOf('echo')).some(({ status }) => status.state === 'TASK_STATE_WORKING');
  await until(isWorking, { what: 'the called agent is at work', timeoutMs: 20_000 });
  await post(`${url}/agents/front-caller/tasks/${body.task.id}:cancel`);
  const states = async () =>
    [...(await tasksOf('caller')), ...(await tasksOf('echo'))].map(({ status }) => status.state);
  await until(async () => (await states()).every((state) => state === 'TASK_STATE_CANCELED'), {
    what: 'both tasks there are canceled',
    timeoutMs: 20_000,
  });
  expect(await states()).toHaveLength(2);
});

it('a trace leads from the client to the agent called behind the second gateway', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319d';
  const traced = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const request = { message: userMessage('hello'), metadata: { agent: 'echo' } };
  const { body } = await post<{ task: Task }>(`${url}/agents/front-caller/message:send`, request, traced);
  expect(textOf(body.task.status.message)).toBe('hello');
  const names = () => collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
  const turns = ['process front-caller', 'process caller', 'process echo'];
  await until(() => turns.every((name) => names().includes(name)), {
    what: 'all three turns are in the trace',
    timeoutMs: 30_000,
  });
});

it('the skill that a client names at the first gateway is used behind the second one', async () => {
  const { body: card } = await get<AgentCard>(`${url}/agents/front-skilled/.well-known/agent-card.json`);
  expect(card.capabilities.extensions?.find(({ uri }) => uri === skillUri)?.params).toEqual({ skills: ['print'] });
  const message = { ...userMessage('hello'), metadata: { [skillUri]: { skill: 'print' } } };
  const activation = { 'a2a-extensions': skillUri };
  const to = `${url}/agents/front-skilled/message:send`;
  const { body, headers } = await post<{ task: Task }>(to, { message }, activation);
  expect([textOf(body.task.status.message), headers.get('a2a-extensions')]).toEqual(['print', skillUri]);
});
