import { Ops } from '@switchyard/operators';
import { priorityUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { card } from './support/agents.ts';
import type { Binding } from './support/bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from './support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { call, get, userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

const alice = { 'x-api-key': 'key-of-alice-0123456789' };
const bob = { 'x-api-key': 'key-of-bob-0123456789ab' };
const headers = { 'a2a-extensions': priorityUri };

let stage: Stage;
let locked: string;
let grpc: GrpcBinding;
let bindings: readonly Binding[];

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
  const agent = { card, repliesWithMessage: false, concurrency: 1 };
  await stage.store.registry.announce(
    [
      { id: 'desk', ...agent },
      { id: 'slow', priority: 'low', ...agent },
    ],
    'someone',
  );
  const of = (key: string, subject: string, scopes: string[]) => ({ key, subject, tenant: 'default', scopes });
  const keys = [of(alice['x-api-key'], 'alice', ['send']), of(bob['x-api-key'], 'bob', ['send', 'priority'])];
  locked = await stage.another({ auth: { keys } });
  for (const id of ['desk', 'slow'])
    await until(async () => (await get(`${stage.url}/agents/${id}/tasks`)).status === 200, { what: `${id} is known` });
  grpc = overGrpc(await grpcAddressOf(stage.url), 'desk');
  bindings = [overJsonRpc(`${stage.url}/agents/desk`), overRest(`${stage.url}/agents/desk`), grpc];
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

const asking = (hint: unknown, { of = 'message' }: { of?: 'message' | 'request' } = {}) => {
  const metadata = { [priorityUri]: hint };
  const message = userMessage('hello', of === 'message' ? { metadata } : {});
  return { message, configuration: { returnImmediately: true }, ...(of === 'request' && { metadata }) };
};

const taskIn = (outcome: unknown): string => (outcome as { result: { task: Task } }).result.task.id;
const priorityOf = async (taskId: string) => (await new Ops(stage.store).tasks.detail(taskId))?.priority;

describe('the priority of a message', () => {
  it('is in its own metadata or in that of the request, over every binding', async () => {
    for (const { invoke } of bindings)
      for (const of of ['message', 'request'] as const)
        for (const priority of ['high', 'normal', 'low']) {
          const params = asking({ priority }, { of });
          const id = taskIn(await invoke({ operation: 'SendMessage', params, headers }));
          expect(await priorityOf(id)).toBe(priority === 'normal' ? undefined : priority);
        }
  });

  it('is the same for a client of version 0.3', async () => {
    const message = { ...asking({ priority: 'low' }).message, kind: 'message', role: 'user' };
    const params = {
      message: { ...message, parts: [{ kind: 'text', text: '?' }] },
      configuration: { blocking: false },
    };
    const answer = await call<{ result: Task }>(`${stage.url}/agents/desk`, 'message/send', params, {
      'x-a2a-extensions': priorityUri,
    });
    expect(await priorityOf(answer.body.result.id)).toBe('low');
  });

  it('must be one of three, or the error names the field', async () => {
    for (const hint of [{ priority: 'urgent' }, { priority: 1 }, {}, 'high', { priority: 'low', more: 1 }])
      for (const { invoke } of bindings) {
        const outcome = await invoke({ operation: 'SendMessage', params: asking(hint), headers });
        expect(outcome).toMatchObject({
          error: {
            reason: 'INVALID_PARAMS',
            violations: [expect.stringContaining(`message.metadata["${priorityUri}"]`)],
          },
        });
      }
  });

  it('is ignored if the request does not activate the extension', async () => {
    for (const { invoke } of bindings)
      expect(
        await priorityOf(taskIn(await invoke({ operation: 'SendMessage', params: asking({ priority: 'low' }) }))),
      ).toBeUndefined();
  });

  it('needs the scope only if it is higher than that of the agent', async () => {
    const send = (agent: string, priority: string, who: Record<string, string>) =>
      overRest(`${locked}/agents/${agent}`).invoke({
        operation: 'SendMessage',
        params: asking({ priority }),
        headers: { ...headers, ...who },
      });
    for (const [agent, priority] of [
      ['desk', 'high'],
      ['slow', 'normal'],
      ['slow', 'high'],
    ] as const) {
      expect(await send(agent, priority, alice)).toMatchObject({ error: { reason: 'PERMISSION_DENIED' } });
      expect(await send(agent, priority, bob)).toHaveProperty('result');
    }
    expect(await send('desk', 'low', alice)).toHaveProperty('result');
    expect(await send('desk', 'normal', alice)).toHaveProperty('result');
    const { body } = await call(`${locked}/agents/desk`, 'SendMessage', asking({ priority: 'high' }), {
      ...headers,
      ...alice,
    });
    expect(JSON.stringify(body)).toContain('Not allowed without the scope priority');
  });

  it('is that of the agent if no client names one, and is on its card', async () => {
    const { invoke } = overRest(`${stage.url}/agents/slow`);
    const id = taskIn(await invoke({ operation: 'SendMessage', params: asking(undefined) }));
    expect(await priorityOf(id)).toBe('low');
    expect((await new Ops(stage.store).tasks.diagnosis(id))?.text).toContain('low priority');
    const { body } = await get(`${stage.url}/agents/slow/.well-known/agent-card.json`);
    expect(body).toMatchObject({
      capabilities: { extensions: expect.arrayContaining([expect.objectContaining({ params: { default: 'low' } })]) },
    });
  });

  it('holds for a scheduled message', async () => {
    const scheduleUri = 'https://switchyard.dev/a2a/extensions/schedule/v1';
    const both = { 'a2a-extensions': `${scheduleUri},${priorityUri}` };
    const params = asking({ priority: 'low' });
    const metadata = { ...params.message.metadata, [scheduleUri]: { at: '2000-01-01T00:00:00Z' } };
    const { invoke } = overRest(`${stage.url}/agents/desk`);
    const scheduled = { ...params, message: { ...params.message, metadata } };
    const id = taskIn(await invoke({ operation: 'SendMessage', params: scheduled, headers: both }));
    await stage.store.schedules.begin();
    expect(await stage.store.queue.stateOf('desk', id, 1)).toBe('waiting');
    expect(await priorityOf(id)).toBe('low');
  });
});
