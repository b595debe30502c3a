import { type AgentExtension, skillUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { card } from './support/agents.ts';
import type { Binding } from './support/bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from './support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { call, get, userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

const skill = (id: string) => ({ id, name: id, description: id, tags: [] });
const scopeOfKeys = [{ schemes: { apiKey: { list: ['staff'] } } }];
const skills = [skill('print'), skill('bind'), { ...skill('refund'), securityRequirements: scopeOfKeys }];
const alice = { 'x-api-key': 'key-of-alice-0123456789' };

let stage: Stage;
let locked: string;
let grpc: GrpcBinding;
let bindings: readonly Binding[];

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
  const announcement = {
    id: 'shop',
    card: { ...card, skills },
    repliesWithMessage: false,
    concurrency: 1,
    skillQueues: { print: 2, refund: 1, given_up: 0 },
  };
  await stage.store.registry.announce([announcement], 'shopkeeper');
  const keys = [{ key: alice['x-api-key'], subject: 'alice', tenant: 'default', scopes: ['send'] }];
  locked = await stage.another({ auth: { keys } });
  const url = `${stage.url}/agents/shop`;
  await until(async () => (await get(`${url}/tasks`)).status === 200, { what: 'the gateway knows the agent' });
  grpc = overGrpc(await grpcAddressOf(stage.url), 'shop');
  bindings = [overJsonRpc(url), overRest(url), grpc];
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

const named = (hint: unknown) => ({
  message: userMessage('hello', { metadata: { [skillUri]: hint } }),
  configuration: { returnImmediately: true },
});
const headers = { 'a2a-extensions': skillUri };

/** The skill that the accepted message's turn gets. */
async function skillTold(taskId: string): Promise<string | undefined> {
  return (await stage.beginTurn(taskId)).start.skill;
}

describe('the skill that a message names', () => {
  it('is passed to the turn and selects the queue, over every binding', async () => {
    for (const { invoke } of bindings)
      for (const id of ['print', 'bind']) {
        const outcome = await invoke({ operation: 'SendMessage', params: named({ skill: id }), headers });
        const { task } = (outcome as { result: { task: Task } }).result;
        const queue = id === 'print' ? 'shop~print' : 'shop';
        expect(await stage.store.queue.stateOf(queue, task.id, 1)).toBe('waiting');
        expect(await skillTold(task.id)).toBe(id);
      }
  });

  it('is the same for a client of version 0.3', async () => {
    const message = { ...named({ skill: 'print' }).message, kind: 'message', role: 'user', parts: [] };
    const params = {
      message: { ...message, parts: [{ kind: 'text', text: '?' }] },
      configuration: { blocking: false },
    };
    const answer = await call<{ result: Task }>(`${stage.url}/agents/shop`, 'message/send', params, {
      'x-a2a-extensions': skillUri,
    });
    expect(await skillTold(answer.body.result.id)).toBe('print');
  });

  it.each(['SendMessage', 'SendStreamingMessage'])(
    'must be in the card: the error for %s lists the skills',
    async (operation) => {
      for (const hint of [{ skill: 'given_up' }, { skill: 7 }, {}, 'print', null])
        for (const { invoke } of bindings)
          expect(await invoke({ operation, params: named(hint), headers })).toMatchObject({
            error: { reason: 'INVALID_PARAMS', violations: [`message.metadata["${skillUri}"].skill`] },
          });
      const { body } = await call(`${stage.url}/agents/shop`, operation, named({ skill: 'fly' }), headers);
      expect(JSON.stringify(body)).toContain('must be the id of a skill of this agent; they are print, bind, refund');
    },
  );

  it('is ignored if the request does not activate the extension', async () => {
    for (const { invoke } of bindings) {
      const outcome = await invoke({ operation: 'SendMessage', params: named({ skill: 'fly' }) });
      expect(await skillTold((outcome as { result: { task: Task } }).result.task.id)).toBeUndefined();
    }
  });

  it('must be allowed for the caller', async () => {
    const { invoke } = overRest(`${locked}/agents/shop`);
    const ask = (id: string) =>
      invoke({ operation: 'SendMessage', params: named({ skill: id }), headers: { ...headers, ...alice } });
    expect(await ask('refund')).toMatchObject({ error: { reason: 'PERMISSION_DENIED' } });
    expect(await ask('print')).toHaveProperty('result');
  });
});

it('causes the extension to be offered if it has a queue', async () => {
  const onCard = async (agent: string): Promise<AgentExtension | undefined> => {
    const { body } = await get<{ capabilities: { extensions?: AgentExtension[] } }>(
      `${stage.url}/agents/${agent}/.well-known/agent-card.json`,
    );
    return body.capabilities.extensions?.find(({ uri }) => uri === skillUri);
  };
  expect((await onCard('shop'))?.params).toEqual({ skills: ['print', 'refund'] });
  expect(await onCard('echo')).toBeUndefined();
});
