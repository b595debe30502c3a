import type { AgentCard } from '@switchyard/protocol';
import { agentCardSchema, parse } from '@switchyard/protocol/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCard } from '../src/agents/build-card.ts';
import { ApiKeys } from '../src/auth/api-keys.ts';
import { Authentication } from '../src/auth/authentication.ts';
import { card } from './support/agents.ts';
import { get } from './support/client.ts';
import { rawRequest } from './support/raw-request.ts';
import { openStage, type Stage } from './support/stage.ts';

describe('the card of an agent', () => {
  const url = 'https://agents.example.com/agents/echo';

  it("has the URLs and bindings of the gateway, not its author's", () => {
    const announced = {
      ...card,
      supportedInterfaces: [{ url: 'http://wrong', protocolBinding: 'GRPC', protocolVersion: '0.3' }],
    };
    expect(buildCard(announced, { url, authenticator: new Authentication([]) }).supportedInterfaces).toEqual([
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ]);
  });

  it('lists 0.3 after 1.0, each with every binding', () => {
    const grpc = { grpcAddress: 'agents.example.com:4001', legacyV03: true, authenticator: new Authentication([]) };
    const entries = (surroundings: object) =>
      buildCard(card, { url, ...grpc, ...surroundings }).supportedInterfaces.map(
        ({ protocolBinding, protocolVersion, tenant }) => [protocolBinding, protocolVersion, tenant],
      );
    expect(entries({})).toEqual([
      ['JSONRPC', '1.0', undefined],
      ['HTTP+JSON', '1.0', undefined],
      ['GRPC', '1.0', undefined],
      ['JSONRPC', '0.3', undefined],
      ['HTTP+JSON', '0.3', undefined],
      ['GRPC', '0.3', undefined],
    ]);
    // Version 0.3 has no tenant that could name the agent.
    expect(entries({ grpcTenant: 'echo' })).toEqual([
      ['JSONRPC', '1.0', undefined],
      ['HTTP+JSON', '1.0', undefined],
      ['GRPC', '1.0', 'echo'],
      ['JSONRPC', '0.3', undefined],
      ['HTTP+JSON', '0.3', undefined],
    ]);
  });

  it("has the gateway's capabilities", () => {
    const { capabilities, ...rest } = buildCard(card, { url, authenticator: new Authentication([]) });
    expect(capabilities).toEqual({ streaming: true, pushNotifications: false, extendedAgentCard: false });
    expect(rest).not.toHaveProperty('securitySchemes');
    expect(rest).not.toHaveProperty('securityRequirements');
  });

  it('describes the authentication', () => {
    const built = buildCard(card, { url, authenticator: new Authentication([new ApiKeys([])]) });
    expect(Object.keys(built.securitySchemes ?? {})).toEqual(['apiKey', 'bearer']);
    expect(built.securityRequirements?.map(({ schemes }) => Object.keys(schemes))).toEqual([['apiKey'], ['bearer']]);
    expect(parse(agentCardSchema, built)).toEqual(built);
  });

  it('drops signatures of its author, which no longer match', () => {
    const signatures = [{ protected: 'a', signature: 'b' }];
    expect(buildCard({ ...card, signatures }, { url, authenticator: new Authentication([]) })).not.toHaveProperty(
      'signatures',
    );
  });
});

describe('the cards over HTTP', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage();
  });

  afterAll(() => stage[Symbol.asyncDispose]());

  const path = '/.well-known/agent-card.json';

  it('are served at the root for the default agent, and at the URL of every agent', async () => {
    const [root, oracle] = [
      await get<AgentCard>(stage.url + path),
      await get<AgentCard>(`${stage.url}/agents/oracle${path}`),
    ];
    expect([root.body.name, root.body.supportedInterfaces[0]?.url]).toEqual(['Echo', stage.url]);
    expect([oracle.body.name, oracle.body.supportedInterfaces[0]?.url]).toEqual([
      'Oracle',
      `${stage.url}/agents/oracle`,
    ]);
    expect(root.headers.get('content-type')).toBe('application/json');
  });

  it('may be cached, and get 304 for a known ETag', async () => {
    const { headers } = await get<AgentCard>(stage.url + path);
    expect(headers.get('cache-control')).toBe('private, max-age=60');
    const etag = headers.get('etag') ?? '';
    const modified = headers.get('last-modified') ?? '';
    expect((await get(stage.url + path, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(stage.url + path, { 'if-modified-since': modified })).status).toBe(304);
    expect((await get(stage.url + path, { 'if-none-match': '"another"' })).status).toBe(200);
  });

  it('contain the public URL if there is one', async () => {
    const url = await stage.another({ publicUrl: 'https://agents.example.com/a2a/' });
    const { body } = await get<AgentCard>(`${url}/agents/echo${path}`);
    expect(body.supportedInterfaces[0]?.url).toBe('https://agents.example.com/a2a/agents/echo');
  });

  it("contain the gateway's address for a client that names no host", async () => {
    const { status, body } = await rawRequest(stage.url, `GET ${path} HTTP/1.0\r\n\r\n`);
    expect(status).toBe(200);
    expect(JSON.parse(body).supportedInterfaces[0].url).toBe(stage.url);
  });

  it('use forwarded headers only with TRUST_PROXY', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'agents.example.com' };
    const urlAt = async (base: string) =>
      (await get<AgentCard>(base + path, forwarded)).body.supportedInterfaces[0]?.url;
    expect(await urlAt(stage.url)).toBe(stage.url);
    expect(await urlAt(await stage.another({ trustProxy: true, allowedHosts: ['agents.example.com'] }))).toBe(
      'https://agents.example.com',
    );
  });

  it('change when the agent is announced anew', async () => {
    const changed = { id: 'newcomer', card: { ...card, name: 'Newcomer' }, repliesWithMessage: false, concurrency: 1 };
    expect((await get(`${stage.url}/agents/newcomer${path}`)).status).toBe(404);
    await stage.store.registry.announce([changed], 'another worker');
    await expect.poll(async () => (await get(`${stage.url}/agents/newcomer${path}`)).status).toBe(200);
  });

  it('are listed', async () => {
    const { body } = await get<{ agents: { id: string }[] }>(`${stage.url}/agents`);
    expect(body.agents.find(({ id }) => id === 'echo')).toEqual({
      id: 'echo',
      name: 'Echo',
      description: 'Says what it hears',
      version: '1.2.3',
      isDefault: true,
      workers: 1,
      url: `${stage.url}/agents/echo`,
      card: `${stage.url}/agents/echo${path}`,
    });
  });
});
