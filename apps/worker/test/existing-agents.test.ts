import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAgents } from '../src/agents/load-agents.ts';
import { agentAt, agentsInFile } from '../src/external-agents/read-agents.ts';

// Only the reading of the configuration: tests/release/existing-agents.test.ts tests that such agents are served.

describe('the URL of an agent', () => {
  it.each([
    ['https://agents.example.com/pizza-desk', 'pizza-desk', '/pizza-desk/.well-known/agent-card.json'],
    ['https://agents.example.com/v1/Pizza_Desk/', 'pizza-desk', '/v1/Pizza_Desk/.well-known/agent-card.json'],
    ['https://agents.example.com', 'agents-example-com', '/.well-known/agent-card.json'],
    ['https://agents.example.com/.well-known/agent-card.json', 'agents-example-com', '/.well-known/agent-card.json'],
    ['https://agents.example.com/cards/pizza.json', 'pizza', '/cards/pizza.json'],
    ['desk=https://agents.example.com/x', 'desk', '/x/.well-known/agent-card.json'],
  ])('%s determines the agent id and the URL of its card', (source, id, path) => {
    expect(agentAt(source)).toEqual({ id, cardUrl: `https://agents.example.com${path}` });
  });

  it('is refused if it is not a valid URL', () => {
    expect(() => agentAt('https://:99999')).toThrow('https://:99999 is no address of an agent');
  });
});

describe('a file of agents', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-agents-'));
    file = join(folder, 'agents.yaml');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('sets binding, attempts and headers of each agent; headers may contain environment variables', async () => {
    const first = `{ id: a, url: "http://a", binding: http+json, attempts: 3, headers: { X-Key: "k-\${KEY}" } }`;
    await writeFile(file, `agents:\n  - ${first}\n  - { id: b, url: "http://b/card.json" }\n`);
    expect(agentsInFile(file, { KEY: 'secret' })).toEqual([
      {
        id: 'a',
        cardUrl: 'http://a/.well-known/agent-card.json',
        binding: 'HTTP+JSON',
        attempts: 3,
        headers: { 'X-Key': 'k-secret' },
      },
      { id: 'b', cardUrl: 'http://b/card.json' },
    ]);
  });

  it('sets how an agent is authorized: OAuth 2 with a secret of the environment, or a file with a token', async () => {
    const oauth2 = `{ tokenUrl: "https://id/token", clientId: c, clientSecret: "\${SECRET}", scopes: [a, b], audience: x }`;
    const auths = [`{ oauth2: ${oauth2} }`, `{ tokenFile: "\${RUN}/token" }`];
    await writeFile(
      file,
      `agents:\n${auths.map((auth, at) => `  - { id: a${at}, url: "http://a", auth: ${auth} }\n`).join('')}`,
    );
    const read = agentsInFile(file, { SECRET: 's3cret', RUN: '/run' });
    expect(read.map(({ auth }) => auth)).toEqual([
      {
        oauth2: {
          tokenUrl: 'https://id/token',
          clientId: 'c',
          clientSecret: 's3cret',
          scopes: ['a', 'b'],
          audience: 'x',
        },
      },
      { tokenFile: '/run/token' },
    ]);
  });

  it.each([
    [
      'agents: [{ id: a, url: "http://x", auth: { oauth2: { tokenUrl: "http://id/token", clientId: c, clientSecret: d } } }]',
      /agents\[0\]\.auth\.oauth2\.tokenUrl: must begin with https:\/\//,
    ],
    ['agents: [{ id: a, url: "http://x", auth: {} }]', /agents\[0\]\.auth: must have either oauth2 or tokenFile/],
    [
      `agents: [{ id: a, url: "http://x", auth: { oauth2: { clientId: c, clientSecret: "\${NO}" } } }]`,
      /agents\[0\]\.auth\.oauth2\.clientSecret: the variable NO is not set/,
    ],
    ['agents: [{ id: A, url: "ftp://x" }]', /agents\[0\]\.id: must be lower-case[\s\S]*agents\[0\]\.url: must be an/],
    ['agents: [{ id: a, url: "http://x", concurency: 3 }]', /agents\[0\]\.concurency: is not a known field/],
    ['agents: [{ id: a, url: "http://x", trustedOrigins: ["api:80"] }]', /trustedOrigins\[0\]: must be an address/],
    ['agents: [{ id: a, url: "http://x", binding: grpc }]', /agents\[0\]\.binding: must be one of jsonrpc, http\+json/],
    ['agents: [{ id: a, url: "http://x", attempts: 1000 }]', /agents\[0\]\.attempts: must be at most 100/],
    [
      'agents:\n  - id: a\n    url: http://x\n  - id: b\n    url: http://y\n    concurency: 3',
      /^.*agents\.yaml cannot be used:\n {2}line 6: agents\[1\]\.concurency: is not a known field$/,
    ],
    ['agents:\n  - id: a', /\n {2}line 2: agents\[0\]\.url: /],
    [
      'agents:\n  - { id: a, url: "http://x" }\n  - { id: a, url: "http://y" }',
      /\n {2}line 3: agents\[1\]\.id: "a" is the id of agents\[0\], too$/,
    ],
    ['agents:\n  - id: a\n    id: b', /agents\.yaml:3:5 cannot be read: Map keys must be unique$/],
    ['agents: *a', /agents\.yaml cannot be read: Unresolved alias/],
    [
      'agents: [{ id: a, url: "http://x", auth: { oauth2: { tokenUrl: id/token, clientId: c, clientSecret: d } } }]',
      /cannot be used:\n.*tokenUrl: must be an address that begins with https:\/\/$/,
    ],
    ['agents: []', /agents: must not be empty/],
    ['just text', /the file: must list agents .*\n {4}agents:\n {6}- id: /],
    ['# agents: []', /the file: is empty: it must list agents .*\n {4}agents:\n {6}- id: /],
    ['agents:\n  - id: a\n url: x', /agents\.yaml:3:\d+ cannot be read/],
    [
      `agents: [{ id: a, url: "http://x", headers: { A: "\${NO}" } }]`,
      /agents\[0\]\.headers\.A: the variable NO is not set/,
    ],
  ])('is refused with an error that names each wrong field: %s', async (yaml, error) => {
    await writeFile(file, yaml);
    expect(() => agentsInFile(file, {})).toThrow(error);
  });

  it('and another one, with the same agent, are refused with an error that names both', async () => {
    const other = join(folder, 'others.yaml');
    for (const each of [file, other]) await writeFile(each, 'agents: [{ id: a, url: "http://x" }]');
    const load = (...sources: string[]) => loadAgents(sources, { environment: {}, emit: () => undefined });
    await expect(load(file, other)).rejects.toThrow(`Two agents have the id "a": one of ${file}, one of ${other}.`);
    await expect(load(file, file)).rejects.toThrow(`Two agents have the id "a": ${file} was named twice.`);
  });

  it('that does not exist is refused with an error that names it', () => {
    expect(() => agentsInFile(join(folder, 'nowhere.yaml'), {})).toThrow(/nowhere\.yaml cannot be read: ENOENT/);
  });
});
