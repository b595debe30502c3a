import { Ops } from '@switchyard/operators';
import { type AgentExtension, skillUri } from '@switchyard/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { card } from './support/agents.ts';
import { overRest } from './support/bindings/over-http.ts';
import { call, get } from './support/client.ts';
import { AgentsStage, asking, itAsksByMessage } from './support/message-extension.ts';

const skill = (id: string) => ({ id, name: id, description: id, tags: [] });
const scopeOfKeys = [{ schemes: { apiKey: { list: ['staff'] } } }];
const skills = [skill('print'), skill('bind'), { ...skill('refund'), securityRequirements: scopeOfKeys }];
const alice = { 'x-api-key': 'key-of-alice-0123456789' };
const headers = { 'a2a-extensions': skillUri };

const used = new AgentsStage([
  { id: 'shop', card: { ...card, skills }, skillQueues: { print: 2, refund: 1, given_up: 0 } },
]);
let locked: string;

beforeAll(async () => {
  const keys = [{ key: alice['x-api-key'], subject: 'alice', tenant: 'default', scopes: ['send'] }];
  locked = await used.stage.another({ auth: { keys } });
});

describe('the skill that a message names', () => {
  itAsksByMessage({
    uri: skillUri,
    used,
    of: ['message'],
    right: [{ skill: 'print' }, { skill: 'bind' }],
    wrong: [{ skill: 'given_up' }, { skill: 7 }, {}, 'print', null],
    expectAsked: async (taskId, hint) => {
      const { skill: named } = { ...hint } as { skill?: string };
      const queue = named === 'print' ? 'shop~print' : 'shop';
      expect(await new Ops(used.stage.store).agentQueues.stateOf(queue, taskId, 1)).toBe('waiting');
      expect((await used.stage.beginTurn(taskId)).start.skill).toBe(named);
    },
  });

  it.each(['SendMessage', 'SendStreamingMessage'])(
    'must be in the card: the error for %s lists the skills',
    async (operation) => {
      const { body } = await call(used.url(), operation, asking(skillUri, { skill: 'fly' }), headers);
      expect(JSON.stringify(body)).toContain('must be the id of a skill of this agent; they are print, bind, refund');
    },
  );

  it('must be allowed for the caller', async () => {
    const { invoke } = overRest(`${locked}/agents/shop`);
    const ask = (id: string) =>
      invoke({ operation: 'SendMessage', params: asking(skillUri, { skill: id }), headers: { ...headers, ...alice } });
    expect(await ask('refund')).toMatchObject({ error: { reason: 'PERMISSION_DENIED' } });
    expect(await ask('print')).toHaveProperty('result');
  });
});

it('causes the extension to be offered if it has a queue', async () => {
  const onCard = async (agent: string): Promise<AgentExtension | undefined> => {
    const { body } = await get<{ capabilities: { extensions?: AgentExtension[] } }>(
      `${used.stage.url}/agents/${agent}/.well-known/agent-card.json`,
    );
    return body.capabilities.extensions?.find(({ uri }) => uri === skillUri);
  };
  expect((await onCard('shop'))?.params).toEqual({ skills: ['print', 'refund'] });
  expect(await onCard('echo')).toBeUndefined();
});
