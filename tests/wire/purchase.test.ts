import { text } from 'node:stream/consumers';
import { testGateway } from '@switchyard/cli/testing';
import { type Task, type TaskUsage, usageUri } from '@switchyard/protocol';
import { afterEach, expect, inject, it, vi } from 'vitest';
import purchase from '../../examples/purchase/agent.ts';
import { openHttpServer } from '../support/http-server.ts';
import { userMessage } from '../support/messages.ts';
import { getTask, post } from '../support/rest.ts';
import { until } from '../support/until.ts';

// examples/purchase over HTTP: an approval by a webhook, the cost, and a budget.

vi.hoisted(() => {
  delete process.env.OPENAI_API_KEY;
  delete process.env.OPENAI_BASE_URL;
});

afterEach(() => vi.unstubAllEnvs());

const redisUrl = inject('redisUrl');
const usageOf = (task: Task | undefined): TaskUsage | undefined => task?.metadata?.[usageUri] as TaskUsage | undefined;

it('asks the manager by a webhook, goes on with the answer, and reports its cost', async () => {
  const asked: { readonly proposal: string; readonly answerUrl: string }[] = [];
  await using manager = await openHttpServer(async (req, res) => {
    asked.push(JSON.parse(await text(req)));
    // The first request fails: the agent asks again.
    res.writeHead(asked.length === 1 ? 503 : 204).end();
  });
  vi.stubEnv('APPROVALS_URL', manager.url);
  await using gateway = await testGateway({ agents: [purchase], redisUrl });
  const sent = await gateway.send('A standing desk', { configuration: { returnImmediately: true } });
  const current = () => getTask(gateway.url, sent.task?.id ?? '');
  await until(() => asked.length === 2, { what: 'the manager is asked again' });
  expect(asked[1]).toEqual(asked[0]);
  expect(JSON.stringify(await current())).not.toContain('/callbacks/');
  expect((await post(asked[1]?.answerUrl ?? '', { approved: true, by: 'Ann' })).status).toBe(200);
  const isDone = async () => (await current()).status.state === 'TASK_STATE_COMPLETED';
  await until(isDone, { what: 'the purchase is done' });
  const amounts = { calls: 2, inputTokens: 42, outputTokens: 28, microUsd: 24 };
  expect(usageOf(await current())).toEqual({ total: amounts, own: [{ model: 'gpt-4o-mini', ...amounts }] });
});

it('begins no request to its model when the budget that its client named is spent', async () => {
  const onError = () => undefined;
  await using gateway = await testGateway({ agents: [purchase], redisUrl, onError });
  const metadata = { [usageUri]: { budget: { tokens: 10 } } };
  const { state, answer, task } = await gateway.send({ ...userMessage('A standing desk'), metadata });
  expect(state).toBe('TASK_STATE_FAILED');
  expect(answer).toBe('The task has spent its budget: 30 tokens of 10 tokens.');
  expect(usageOf(task)?.total.calls).toBe(1);
});
