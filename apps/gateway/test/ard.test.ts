import { Credentials } from '@switchyard/access';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { card } from './support/agents.ts';
import { type ErrorBody, get, post } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

// Agentic Resource Discovery, and the search of agents and skills, at two gateways.

interface Entry {
  readonly identifier: string;
  readonly url: string;
  readonly score?: number;
}
interface Manifest {
  readonly specVersion: string;
  readonly host: { readonly displayName: string };
  readonly entries: readonly Entry[];
}
interface Found {
  readonly results: readonly Entry[];
  readonly pageToken?: string;
}
interface Listed {
  readonly agents: readonly { readonly id: string; readonly score: number; readonly skills: readonly string[] }[];
}

const skill = { id: 'translate', name: 'Übersetzen', description: 'Translates letters', tags: ['language'] };
const translator = {
  id: 'translator',
  card: {
    ...card,
    name: 'Translator',
    description: 'Puts texts into other languages',
    skills: [{ ...skill, examples: ['Translate this into French', 'What does Gruß mean?'] }],
  },
  repliesWithMessage: false,
  concurrency: 1,
};

let stage: Stage;
let other: string;

beforeAll(async () => {
  stage = await openStage();
  other = await stage.another();
  await stage.store.registry.announce([translator], 'a second worker');
  const isKnown = async (url: string): Promise<boolean> => (await get(`${url}/agents/translator/tasks`)).status === 200;
  for (const url of [stage.url, other]) await until(() => isKnown(url), { what: 'the translator is known' });
});

afterAll(() => stage[Symbol.asyncDispose]());

const manifestAt = async (url: string): Promise<Manifest> => (await get<Manifest>(`${url}/.well-known/ard.json`)).body;
const search = (body: object) => post<Found & ErrorBody>(`${other}/ard/search`, body);
const namesOf = ({ results }: Found): string[] => results.map(({ identifier }) => identifier.split(':').at(-1) ?? '');

describe('The ARD manifest', () => {
  it('has an entry for each agent with the URL of its card, and one for the search', async () => {
    const { specVersion, host, entries } = await manifestAt(stage.url);
    expect([specVersion, host.displayName]).toEqual(['1.0', '127.0.0.1']);
    const entry = entries.find(({ identifier }) => identifier === 'urn:air:127.0.0.1:agent:translator');
    expect(entry).toMatchObject({
      displayName: 'Translator',
      type: 'application/a2a-agent-card+json',
      tags: ['language'],
      capabilities: ['translate'],
      representativeQueries: ['Translate this into French', 'What does Gruß mean?'],
      version: '1.2.3',
    });
    expect((await get<{ name: string }>(entry?.url ?? '')).body.name).toBe('Translator');
    expect(entries.at(-1)).toMatchObject({ type: 'application/ai-registry+json', url: `${stage.url}/ard/` });
    for (const { identifier } of entries) expect(identifier).toMatch(/^urn:air:[\w.-]+(:[\w.-]+)+$/);
  });

  it('is cached by its ETag, and readable by web pages', async () => {
    const { headers } = await get(`${stage.url}/.well-known/ard.json`);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const again = await fetch(`${stage.url}/.well-known/ard.json`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('names only the agent at the root if callers need credentials, unless ARD=all', async () => {
    const keys = [{ key: 'key-of-alice-0123456789', subject: 'alice', tenant: 'default', scopes: [] }];
    const closed = await manifestAt(await stage.another({ auth: { keys } }));
    expect(closed.entries.map(({ identifier }) => identifier.split(':').at(-1))).toEqual(['echo', 'agents']);
    const shown = await manifestAt(await stage.another({ auth: { keys }, ard: 'all' }));
    expect(shown.entries.length).toBeGreaterThan(5);
    const off = await stage.another({ ard: 'off' });
    expect((await get(`${off}/.well-known/ard.json`)).status).toBe(404);
  });
});

describe('The search', () => {
  it.each(['translate', 'TRANSLATES', 'ubersetzen', 'übersetzen', 'translatr', 'what does gruss mean french'])(
    'finds the translator first by %j',
    async (text) => {
      const { status, body } = await search({ query: { text } });
      expect([status, namesOf(body)[0]]).toEqual([200, 'translator']);
      expect(body.results[0]?.score).toBe(100);
    },
  );

  it('has no result for an unknown word', async () => {
    expect((await search({ query: { text: 'zeppelin' } })).body.results).toEqual([]);
  });

  it('supports filters and pages', async () => {
    const filtered = await search({ query: { text: 'says', filter: { tags: 'language' } } });
    expect(filtered.body.results).toEqual([]);
    const one = await search({ query: { text: 'says echo', filter: { publisher: ['127.0.0.1'] } }, pageSize: 1 });
    const next = await search({ query: { text: 'says echo' }, pageSize: 1, pageToken: one.body.pageToken });
    expect(one.body.results).toHaveLength(1);
    expect(next.body.results).toHaveLength(1);
    expect(next.body.results).not.toEqual(one.body.results);
  });

  it('names every wrong field', async () => {
    const wrong = { query: { text: '', filter: { colour: ['red'] } }, pageSize: 0, federation: 'all' };
    const { status, body } = await search(wrong);
    const named = body.error.details?.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
    expect(status).toBe(400);
    for (const field of ['query.text', 'pageSize', 'federation', 'query.filter.colour']) expect(named).toContain(field);
    const untold = await search({ query: { text: 'x', filter: { tags: 5, colour: ['red'] } } });
    expect(untold.body.error.details?.[1]?.fieldViolations).toEqual([
      { field: 'query.filter.tags', description: expect.stringContaining('must be a text') },
      { field: 'query.filter.colour', description: 'is not a known field' },
    ]);
    expect((await search({ query: { text: 'x' }, pageToken: 'next' })).status).toBe(400);
    expect((await search({ query: { text: 'x'.repeat(1_025) } })).status).toBe(400);
  });

  it('is the same as that of GET /agents?q=, which also lists the skills', async () => {
    const { body } = await get<Listed>(`${other}/agents?q=Übersetzen`);
    expect(body.agents[0]).toMatchObject({ id: 'translator', score: 100, skills: ['translate'] });
    expect((await get(`${other}/agents?q=`)).status).toBe(400);
  });

  it('needs a credential, and shows the agents that the caller may use', async () => {
    const mayUse = { tenant: 'acme', subject: 'bob', scopes: [], agents: ['echo', 'mute'] };
    const { key } = await new Credentials(stage.store.inside).create(mayUse);
    const url = await stage.another({ auth: { keys: [{ ...mayUse, key: 'key-of-alice-0123456789' }] } });
    expect((await post(`${url}/ard/search`, { query: { text: 'echo' } })).status).toBe(401);
    const { body } = await post<Found>(
      `${url}/ard/search`,
      { query: { text: 'echo translate' } },
      { 'x-api-key': key },
    );
    expect(namesOf(body).sort()).toEqual(['echo', 'mute']);
  });
});
