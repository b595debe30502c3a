import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentAt, agentsInFile } from '../src/existing/read-agents.ts';

// How agents that run elsewhere are written down. That they are served: tests/release/existing-agents.test.ts.

describe('the URL of an agent', () => {
  it.each([
    ['https://agents.example.com/pizza-desk', 'pizza-desk', '/pizza-desk/.well-known/agent-card.json'],
    ['https://agents.example.com/v1/Pizza_Desk/', 'pizza-desk', '/v1/Pizza_Desk/.well-known/agent-card.json'],
    ['https://agents.example.com', 'agents-example-com', '/.well-known/agent-card.json'],
    ['https://agents.example.com/.well-known/agent-card.json', 'agents-example-com', '/.well-known/agent-card.json'],
    ['https://agents.example.com/cards/pizza.json', 'pizza', '/cards/pizza.json'],
    ['desk=https://agents.example.com/x', 'desk', '/x/.well-known/agent-card.json'],
  ])('%s leads to its card, and to an id', (source, id, path) => {
    expect(agentAt(source)).toEqual({ id, cardUrl: `https://agents.example.com${path}` });
  });

  it('has to be one', () => {
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

  it('has their bounds, and headers with variables of the environment', async () => {
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

  it.each([
    ['agents: [{ id: A, url: "ftp://x" }]', /agents\[0\]\.id: must be lower-case[\s\S]*agents\[0\]\.url: must be an/],
    ['agents: [{ id: a, url: "http://x", concurency: 3 }]', /agents\[0\]: Unrecognized key: "concurency"/],
    ['agents: [{ id: a, url: "http://x", attempts: 1000 }]', /agents\[0\]\.attempts: Too big/],
    ['agents: []', /agents: Too small/],
    ['just text', /the file: Invalid input/],
    ['agents:\n  - id: a\n url: x', /agents\.yaml:3:\d+ cannot be read/],
    [
      `agents: [{ id: a, url: "http://x", headers: { A: "\${NO}" } }]`,
      /agents\[0\]\.headers\.A: the variable NO is not set/,
    ],
  ])('names each wrong field: %s', async (yaml, words) => {
    await writeFile(file, yaml);
    expect(() => agentsInFile(file, {})).toThrow(words);
  });

  it('has to be there', () => {
    expect(() => agentsInFile(join(folder, 'nowhere.yaml'), {})).toThrow(/nowhere\.yaml cannot be read: ENOENT/);
  });
});
