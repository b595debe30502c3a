import type { AgentCard } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../support/client.ts';
import { rawRequest } from '../support/raw-request.ts';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;
const auth = { keys: [{ key: 'key-of-alice-0123456789', subject: 'alice', tenant: 'default', scopes: [] }] };

beforeAll(async () => {
  // With authentication any host is served; without it, only known ones.
  stage = await openStage({ gateway: { auth } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const path = '/.well-known/agent-card.json';

async function cardFor(url: string, ...headers: string[]) {
  const lines = [`GET ${path} HTTP/1.1`, ...headers, 'Connection: close'];
  const answer = await rawRequest(url, `${lines.join('\r\n')}\r\n\r\n`);
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(answer.headers)?.[1] ?? '';
  const card: AgentCard = JSON.parse(answer.body);
  return { url: card.supportedInterfaces[0]?.url, cached: header('cache-control'), vary: header('vary') };
}

describe('a card requested with another Host', () => {
  it('may not be stored by shared caches', async () => {
    const { cached, vary } = await cardFor(stage.url, 'Host: evil.example');
    expect(cached).toBe('private, max-age=60');
    expect(vary).toContain('Host');
  });

  it('has the forwarded host only with TRUST_PROXY, and only the schemes http and https', async () => {
    const { host } = new URL(stage.url);
    const forwarded = ['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: javascript'];
    expect((await cardFor(stage.url, `Host: ${host}`, ...forwarded)).url).toBe(stage.url);
    const trusting = await stage.another({ auth, trustProxy: true });
    const believed = await cardFor(trusting, `Host: ${host}`, ...forwarded);
    expect(believed).toEqual({
      url: 'http://evil.example',
      cached: 'private, max-age=60',
      vary: 'A2A-Version, Host, X-Forwarded-Host, X-Forwarded-Proto',
    });
  });

  it('has the public URL if there is one, and may be stored by shared caches', async () => {
    const url = await stage.another({ auth, publicUrl: 'https://agents.example.com' });
    const named = await cardFor(url, 'Host: evil.example', 'X-Forwarded-Host: evil.example');
    expect(named).toEqual({ url: 'https://agents.example.com', cached: 'public, max-age=60', vary: 'A2A-Version' });
    expect((await get(url + path)).headers.get('cache-control')).toBe('public, max-age=60');
  });
});
