import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { card } from './support/agents.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;
let guarded: string;

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const nasty = `"><script>alert('x')</script>&`;

beforeAll(async () => {
  stage = await openStage();
  const evil = { id: 'evil', card: { ...card, name: nasty, description: nasty }, repliesWithMessage: false };
  await stage.store.registry.announce([{ ...evil, concurrency: 1 }], 'another');
  guarded = await stage.another({
    auth: { keys: [{ key: 'a-key-of-somebody-01', subject: 'a', tenant: 't', scopes: [] }] },
  });
  await until(async () => (await page(stage.url)).text.includes('evil'), { what: 'the gateway knows the agent' });
});

afterAll(() => stage[Symbol.asyncDispose]());

async function page(url: string, headers: Record<string, string> = { accept: browser }) {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('GET /', () => {
  it('shows people the agents, their cards and how to call them', async () => {
    const { status, headers, text } = await page(stage.url);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain(`${stage.url}/agents/echo/.well-known/agent-card.json`);
    expect(text).toContain(`curl ${stage.url}/agents/echo/message:send`);
  });

  it('shows the texts of agents as texts, and allows neither scripts nor frames', async () => {
    const { headers, text } = await page(stage.url);
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
  });

  it.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5'])(
    'answers a program that accepts %s with 405, as JSON',
    async (accept) => {
      const { status, headers, text } = await page(stage.url, accept === undefined ? {} : { accept });
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 405 } });
    },
  );

  it('shows only the default agent where callers need a credential', async () => {
    const { text } = await page(guarded);
    expect(text).toContain(`${guarded}/agents/echo`);
    expect(text).not.toContain('/agents/mute');
    expect(text).toContain('Requests need a credential');
  });
});
