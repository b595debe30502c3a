import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { addressAt } from '../src/choose-interface.ts';
import { type RemoteSettings, remoteAgent, remoteExecutor } from '../src/index.ts';
import { ScriptedAgent } from './scripted-agent.ts';

const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
const v03Task = { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' } };
const script = { SendMessage: [{ result: { task } }], 'message/send': [{ result: v03Task }] };

type Card = Readonly<Record<string, unknown>>;
type Settings = Partial<Omit<RemoteSettings, 'card' | 'cardUrl'>>;

/** A turn with an agent whose card has these differences. */
async function turnWith(differences: (agent: ScriptedAgent) => Card, settings: Settings = {}) {
  await using agent = await new ScriptedAgent(script, differences).start();
  const execute = remoteExecutor({ cardUrl: agent.cardUrl, pollEveryMs: 5, retryBudgetMs: 200, ...settings });
  const port = new MemoryPort({ message: 'Hello' });
  const result = await executeTurn(agentThat(execute), port);
  const text = port.current.status.message?.parts[0]?.text ?? '';
  return { state: 'state' in result ? result.state : result.kind, text, called: agent.called };
}

const interfaceAt = (url: string, rest: object = {}) => ({
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', ...rest }],
});
const v03 = (url: string, rest: object = {}) => ({ supportedInterfaces: undefined, url, ...rest });

describe('a remote card', () => {
  it.each<[string, (agent: ScriptedAgent) => Card]>([
    [
      'null for every field that may be unset',
      () => ({ provider: null, securitySchemes: null, skills: null, iconUrl: null }),
    ],
    ['null capabilities', () => ({ capabilities: null })],
    ['an odd skill', () => ({ skills: [{ id: 'x', tags: 'one', examples: 5, inputModes: null }, null, 'skill'] })],
    ['no version of its interface', ({ cardUrl }) => interfaceAt(cardUrl, { protocolVersion: undefined })],
    ['a null version of its interface', ({ cardUrl }) => interfaceAt(cardUrl, { protocolVersion: null })],
    [
      'a later minor version, and unknown fields',
      ({ cardUrl }) => interfaceAt(cardUrl, { protocolVersion: '1.7', x: 1 }),
    ],
    [
      'an interface of an unknown binding before',
      ({ cardUrl }) => {
        const [own] = interfaceAt(cardUrl).supportedInterfaces;
        return { supportedInterfaces: [{ ...own, protocolBinding: 'CARRIER-PIGEON' }, { url: null }, own] };
      },
    ],
    ['the form of 0.3', ({ cardUrl }) => v03(cardUrl, { protocolVersion: '0.3.0' })],
    ['the form of 0.3, and no version', ({ cardUrl }) => v03(cardUrl)],
    [
      'the form of 0.3, with nulls',
      ({ cardUrl }) =>
        v03(cardUrl, {
          additionalInterfaces: null,
          preferredTransport: null,
          security: null,
          securitySchemes: null,
          supportsAuthenticatedExtendedCard: null,
          skills: [{ id: 'x', tags: null, security: null }],
        }),
    ],
    [
      'the form of 0.3, without lists',
      ({ cardUrl }) => v03(cardUrl, { defaultInputModes: undefined, skills: undefined, capabilities: undefined }),
    ],
    [
      'the form of 0.3, and security that nobody knows',
      ({ cardUrl }) => v03(cardUrl, { securitySchemes: { a: { type: 'dance' } }, security: 'yes' }),
    ],
    ['the form of 0.2', ({ cardUrl }) => v03(cardUrl, { protocolVersion: '0.2.6' })],
  ])('with %s can be used', async (_, differences) => {
    const { state, text } = await turnWith(differences);
    expect([state, text]).toEqual(['TASK_STATE_COMPLETED', '']);
  });

  it('that names where its server listens is called at the address of the card', async () => {
    for (const host of ['localhost', '0.0.0.0', '[::]', '127.0.0.1', '[::1]']) {
      const { state } = await turnWith(({ cardUrl }) => interfaceAt(cardUrl.replace('127.0.0.1', host)), {
        headers: { Authorization: 'Bearer x' },
      });
      expect([host, state]).toEqual([host, 'TASK_STATE_COMPLETED']);
    }
  });

  it.each([
    ['http://0.0.0.0:9000/a2a', 'http://agent.internal:9000/', 'http://agent.internal:9000/a2a'],
    ['http://localhost:9000/a2a', 'http://agent.internal:9000/', 'http://agent.internal:9000/a2a'],
    ['http://localhost/a2a', 'http://agent.internal:80/', 'http://agent.internal/a2a'],
    ['http://localhost:9001/', 'http://127.0.0.1:9000/', 'http://localhost:9001/'],
    ['https://localhost:9000/', 'http://127.0.0.1:9000/', 'https://localhost:9000/'],
    ['http://10.0.0.1:9000/', 'http://127.0.0.1:9000/', 'http://10.0.0.1:9000/'],
    ['https://localhost.example/', 'https://agent.example/', 'https://localhost.example/'],
    ['not a url', 'https://agent.example/', 'not a url'],
  ])('that names %s, at %s, is called at %s', (named, card, called) => expect(addressAt(named, card)).toBe(called));

  it('that names an address that may not be called is not announced, and the error names trustedOrigins', async () => {
    await using agent = await new ScriptedAgent(script, interfaceAt('http://127.0.0.1:1/')).start();
    const opening = remoteAgent({ id: 'x', cardUrl: agent.cardUrl, cardTimeoutMs: 5_000 });
    await expect(opening).rejects.toThrow(/names http:\/\/127\.0\.0\.1:1\/.* is one of the trustedOrigins/);
    const { state, text } = await turnWith(() => interfaceAt('http://127.0.0.1:1/'));
    expect([state, text]).toEqual(['failed', expect.stringContaining('The card of the remote agent cannot be used')]);
  });

  it.each<[string, Card, RegExp]>([
    ['no interface', { supportedInterfaces: [] }, /offers no interface/],
    ['only gRPC', interfaceAt('h:1', { protocolBinding: 'GRPC' }), /offers GRPC 1\.0, and not JSONRPC or HTTP\+JSON/],
    ['only a later major version', interfaceAt('http://h', { protocolVersion: '2.0' }), /offers JSONRPC 2\.0/],
  ])('with %s is refused at once, and the error says why', async (_, differences, problem) => {
    const { state, text } = await turnWith(() => differences, { retryBudgetMs: 60_000 });
    expect([state, text]).toEqual(['failed', expect.stringMatching(problem)]);
  });

  it('loses links that are not http or https', async () => {
    const provider = { url: 'javascript:alert(1)', organization: 'Evil' };
    const links = { provider, documentationUrl: 'javascript:alert(1)', iconUrl: 'data:text/html,<script>' };
    await using agent = await new ScriptedAgent(script, links).start();
    const { card } = await remoteAgent({ id: 'x', cardUrl: agent.cardUrl });
    expect(JSON.stringify(card)).not.toMatch(/javascript|data:/);
  });
});

describe('the URL of a remote agent', () => {
  it.each(['', '/', '/agents/x', '/agents/x/', '/agents/x/.well-known/agent-card.json'])(
    'may be "%s": the card is found there, or at its well-known path',
    async (path) => {
      const asked: string[] = [];
      const page = createServer((request, response) => {
        asked.push(request.url ?? '');
        const isCard = request.url?.endsWith('/.well-known/agent-card.json') === true;
        if (!isCard) return void response.writeHead(404).end('<p>Nothing here');
        const url = `http://${request.headers.host}/rpc`;
        response.end(
          JSON.stringify({ name: 'Found', version: '1', capabilities: {}, skills: [], ...interfaceAt(url) }),
        );
      });
      await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
      const address = page.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const { card } = await remoteAgent({ id: 'x', cardUrl: `http://127.0.0.1:${port}${path}` });
      page.close();
      expect(card.name).toBe('Found');
      expect(asked.length).toBeLessThan(3);
    },
  );

  it('at which there is no card fails the turn at once, and names it', async () => {
    let requests = 0;
    const page = createServer((_, response) => {
      requests++;
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const address = page.address();
    const cardUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/agents/x`;
    const port = new MemoryPort({ message: 'Hello' });
    const result = await executeTurn(agentThat(remoteExecutor({ cardUrl })), port);
    page.close();
    page.closeAllConnections();
    expect([result.kind, requests]).toEqual(['failed', 2]);
    expect(port.current.status.message?.parts[0]?.text).toContain('(HTTP 404)');
  });
});

it.each([
  ['<html>Sign in</html>', 'it is a page, not JSON'],
  ['{"name":"Pizza"} and more', 'it is not JSON'],
  ['', 'it is empty'],
  ['[1]', 'it is not an object'],
])(
  'an answer that is no card, such as %j, says so, and nothing of work that the agent may have done',
  async (body, problem) => {
    const server = createServer((_, response) => void response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const execute = remoteExecutor({ cardUrl: `http://127.0.0.1:${port}` });
    const memory = new MemoryPort({ message: 'Hello' });
    await executeTurn(agentThat(execute), memory);
    server.close();
    const text = memory.current.status.message?.parts[0]?.text;
    expect(text).toContain(`its answer is no agent card (${problem})`);
    expect(text).not.toContain('done its work');
  },
);

describe('the address of a remote card', () => {
  /** Why the card at this path cannot be read from a server that answers so. */
  async function problemAt(path: string, status: number, headers: Record<string, string> = {}): Promise<string> {
    await using server = createServer((_, response) => void response.writeHead(status, headers).end()).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const at = { id: 'a', cardUrl: `http://127.0.0.1:${port}${path}`, cardTimeoutMs: 0 };
    const error: unknown = await remoteAgent(at).catch((thrown: unknown) => thrown);
    return String(error).replaceAll(`127.0.0.1:${port}`, 'HOST').split(' cannot be used: ')[1] ?? String(error);
  }

  it('is named with its path if nothing is there', async () => {
    expect(await problemAt('/team/card.json?key=secret', 404)).toBe(
      'it has nothing at this address (HTTP 404): the path /team/card.json',
    );
  });

  it('is named with the path to which it redirects, without query and credentials', async () => {
    const from = 'it redirects to another address (HTTP 308): from the path /team/card.json to';
    const to = (location: string) => problemAt('/team/card.json?key=secret', 308, { location });
    expect(await to('/team/card.json/?key=secret')).toBe(`${from} the path /team/card.json/`);
    expect(await to('https://me:secret@other.example/x?y=1')).toBe(`${from} https://other.example with the path /x`);
    expect(await to('http://')).toBe('it redirects to another address (HTTP 308)');
  });
});
