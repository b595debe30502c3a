import { describe, expect, it } from 'vitest';
import { findAgent, requireAllowed } from '../target.ts';
import { startOddAgent } from './support/odd-agent.ts';
import { load } from './support/run-load.ts';

describe('a host', () => {
  it.each([
    'http://127.0.0.1:4000',
    'http://127.8.9.1',
    'http://localhost:1',
    'http://[::1]:4000',
    'http://a.localhost',
  ])('is allowed if it is this machine: %s', (url) =>
    expect(() => requireAllowed(new URL(url), undefined)).not.toThrow(),
  );

  it.each([
    'http://192.0.2.1',
    'https://example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.nip.io',
    'http://[::2]',
    'http://0.0.0.0',
  ])('is not allowed if it is another machine: %s', (url) =>
    expect(() => requireAllowed(new URL(url), undefined)).toThrow('--allow-host'),
  );

  it('is allowed if --allow-host names it, but no other one', () => {
    expect(() => requireAllowed(new URL('https://a.example'), 'a.example')).not.toThrow();
    expect(() => requireAllowed(new URL('https://b.example'), 'a.example')).toThrow(
      '--allow-host b.example (you allowed a.example)',
    );
  });
});

it('another host is refused before a request is sent', async () => {
  const { code, output } = await load(['steady', '--url', 'http://192.0.2.1']);
  expect([code, output.trim()]).toEqual([
    2,
    '192.0.2.1 is not this machine. If you may put it under load, say so: --allow-host 192.0.2.1',
  ]);
});

it('an agent card that names another host is refused', async () => {
  await using agent = await startOddAgent(() => undefined, 'http://192.0.2.1/');
  const url = new URL(agent.url);
  await expect(findAgent({ url, wantsVersions: false })).rejects.toThrow('192.0.2.1 is not this machine');
});

describe('an agent card', () => {
  it('is found by the URL of a gateway, of an agent, and its own', async () => {
    await using agent = await startOddAgent(() => undefined);
    for (const path of ['', '/', '/agents/odd', '/.well-known/agent-card.json']) {
      const found = await findAgent({
        url: new URL(agent.url + path),
        wantsVersions: false,
      });
      expect([found.name, found.binding, found.endpoint.href]).toEqual(['Odd', 'JSONRPC', `${agent.url}/`]);
    }
  });

  it('without the requested binding is refused, with the offered ones', async () => {
    await using agent = await startOddAgent(() => undefined);
    const url = new URL(agent.url);
    await expect(findAgent({ url, wantsVersions: false, binding: 'rest' })).rejects.toThrow(
      'The agent card offers JSONRPC, and not HTTP+JSON',
    );
    // The binding that a profile prefers is not required.
    await expect(findAgent({ url, wantsVersions: true })).resolves.toMatchObject({ binding: 'JSONRPC' });
  });

  it('yields the headers of every request, with the credentials', async () => {
    await using agent = await startOddAgent(() => undefined);
    const url = new URL(agent.url);
    const found = await findAgent({ url, wantsVersions: false, apiKey: 'k', bearer: 't' });
    expect(found.headers).toEqual(['a2a-version', '1.0', 'authorization', 'Bearer t', 'X-API-Key', 'k']);
  });
});
