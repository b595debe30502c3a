import type { AgentCard } from '@switchyard/protocol';
import { agentCardSchema, parse } from '@switchyard/protocol/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overGrpc } from './support/bindings/over-grpc.ts';
import { call, type ErrorBody, get } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

const alice = { 'x-api-key': 'key-of-alice-0123456789' };
const cardPath = '/.well-known/agent-card.json';

let stage: Stage;

beforeAll(async () => {
  const keys = [{ key: alice['x-api-key'], subject: 'alice', tenant: 'default', scopes: [] }];
  stage = await openStage({ gateway: { auth: { keys }, grpc: { port: 0, publicAddress: 'auto' } } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const skills = ({ skills }: AgentCard) => skills.map(({ id }) => id);
const at = (agent: string) => `${stage.url}/agents/${agent}`;

async function publicCard(url: string): Promise<AgentCard> {
  return (await get<AgentCard>(url + cardPath, { 'a2a-version': '1.0' })).body;
}

describe('The extended card', () => {
  it('is announced by the public card, without its contents', async () => {
    const card = await publicCard(at('insider'));
    expect(card.capabilities.extendedAgentCard).toBe(true);
    expect(skills(card)).toEqual(['echo']);
  });

  it('is returned to authenticated callers over REST and JSON-RPC', async () => {
    const rest = await get<AgentCard>(`${at('insider')}/extendedAgentCard`, alice);
    const rpc = await call<{ result: AgentCard }>(at('insider'), 'GetExtendedAgentCard', undefined, alice);
    expect(skills(rest.body)).toEqual(['echo', 'secret']);
    expect(rpc.body.result).toEqual(rest.body);
    expect(parse(agentCardSchema, rest.body)).toEqual(rest.body);
  });

  it('is the same over gRPC, where the tenant names the agent', async () => {
    using grpc = overGrpc(await grpcAddressOf(stage.url), 'insider');
    const outcome = await grpc.invoke({ operation: 'GetExtendedAgentCard', params: {}, headers: alice });
    const { body } = await get<AgentCard>(`${at('insider')}/extendedAgentCard`, alice);
    expect('result' in outcome && parse(agentCardSchema, outcome.result)).toEqual(body);
  });

  it('needs authentication', async () => {
    const rest = await get<ErrorBody>(`${at('insider')}/extendedAgentCard`);
    expect([rest.status, rest.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="switchyard"']);
    expect(JSON.stringify(rest.body)).not.toContain('secret');
    expect((await call(at('insider'), 'GetExtendedAgentCard', {})).status).toBe(401);
  });

  it('has the URLs of the public card', async () => {
    const { supportedInterfaces, securitySchemes } = await publicCard(at('insider'));
    const { body } = await get<AgentCard>(`${at('insider')}/extendedAgentCard`, alice);
    expect(body).toMatchObject({ supportedInterfaces, securitySchemes });
    const byTenant = await get<AgentCard>(`${stage.url}/insider/extendedAgentCard`, alice);
    expect(byTenant.body).toEqual(body);
  });

  it('may be cached by its client only, which gets 304 for a known ETag', async () => {
    const url = `${at('insider')}/extendedAgentCard`;
    const { headers } = await get(url, alice);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect((await get(url, { ...alice, 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('gets UnsupportedOperation if the agent does not declare one', async () => {
    expect((await publicCard(at('echo'))).capabilities.extendedAgentCard).toBe(false);
    const rest = await get<ErrorBody>(`${at('echo')}/extendedAgentCard`, alice);
    expect([rest.status, rest.body.error.details?.[0]?.reason]).toEqual([400, 'UNSUPPORTED_OPERATION']);
    const rpc = await call<ErrorBody>(at('echo'), 'GetExtendedAgentCard', {}, alice);
    expect(rpc.body.error.code).toBe(-32004);
  });

  it('gets ExtendedAgentCardNotConfigured if the agent declares one but has none', async () => {
    expect((await publicCard(at('braggart'))).capabilities.extendedAgentCard).toBe(true);
    const rest = await get<ErrorBody>(`${at('braggart')}/extendedAgentCard`, alice);
    expect([rest.status, rest.body.error.details?.[0]?.reason]).toEqual([400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED']);
    const rpc = await call<ErrorBody>(at('braggart'), 'GetExtendedAgentCard', {}, alice);
    expect(rpc.body.error.code).toBe(-32007);
  });

  it('is not available without authentication', async () => {
    const url = `${await stage.another({ auth: { allowAnonymous: false } })}/agents/insider`;
    expect((await publicCard(url)).capabilities.extendedAgentCard).toBe(false);
    const { body } = await get<ErrorBody>(`${url}/extendedAgentCard`);
    expect(body.error.details?.[0]?.reason).toBe('UNSUPPORTED_OPERATION');
  });
});
