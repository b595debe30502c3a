import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxy } from '../../../tests/support/proxy-server.ts';
import {
  AddressPolicy,
  AddressRefused,
  type GuardedClientOptions,
  guardedClient,
  noProxies,
  ProxyError,
  untimedFetch,
  useProxies,
} from '../src/index.ts';
import { nodeProxies, proxyFor, readProxies } from '../src/proxies.ts';

afterEach(() => useProxies(noProxies));

describe('the proxy for a URL', () => {
  const all = { HTTPS_PROXY: 'http://secure.test:1', HTTP_PROXY: 'http://plain.test:2' };
  const hostFor = (url: string, env: Record<string, string>) => proxyFor(new URL(url), readProxies(env))?.host;

  it.each([
    ['https://a.test', all, 'secure.test:1'],
    ['http://a.test', all, 'plain.test:2'],
    ['https://a.test', { HTTP_PROXY: 'http://plain.test:2' }, 'plain.test:2'],
    ['http://a.test', { HTTPS_PROXY: 'http://secure.test:1' }, undefined],
    ['https://a.test', { ...all, https_proxy: 'http://lower.test:3' }, 'lower.test:3'],
    ['https://a.test', { https_proxy: 'lower.test:3' }, 'lower.test:3'],
    ['https://a.test', { HTTPS_PROXY: '' }, undefined],
    ['http://localhost:4000', all, undefined],
    ['http://127.0.0.1:4000', all, undefined],
    ['http://[::1]:4000', all, undefined],
    ['http://10.0.0.1', all, 'plain.test:2'],
    ['https://a.test', { ...all, NO_PROXY: 'b.test, a.test' }, undefined],
    ['https://A.test.', { ...all, no_proxy: '.a.TEST' }, undefined],
    ['https://x.a.test', { ...all, NO_PROXY: 'a.test' }, undefined],
    ['https://xa.test', { ...all, NO_PROXY: 'a.test' }, 'secure.test:1'],
    ['https://a.test', { ...all, NO_PROXY: '*.a.test' }, 'secure.test:1'],
    ['https://x.a.test', { ...all, NO_PROXY: '*.a.test' }, undefined],
    ['https://a.test', { ...all, NO_PROXY: 'a.test:8443' }, 'secure.test:1'],
    ['https://a.test:8443', { ...all, NO_PROXY: 'a.test:8443' }, undefined],
    ['https://a.test', { ...all, NO_PROXY: '*' }, undefined],
    ['http://10.1.2.3', { ...all, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['http://11.1.2.3', { ...all, NO_PROXY: '10.0.0.0/8' }, 'plain.test:2'],
    ['http://[fd00::1]', { ...all, NO_PROXY: 'fd00::/8' }, undefined],
    ['http://[fe80::1]:80', { ...all, NO_PROXY: '[fe80::1]:80' }, undefined],
  ])('%s with %o is %s', (url, env, host) => expect(hostFor(url, env)).toBe(host));

  it('must be that of an HTTP proxy, and an error does not repeat it', () => {
    for (const address of ['socks5://user:secret@a.test', 'http://', 'http://user:secret@:x'])
      expect(() => readProxies({ HTTPS_PROXY: address })).toThrow(
        'HTTPS_PROXY must be the address of an HTTP proxy, such as http://proxy.example.com:3128',
      );
  });

  it("is told to Node's own clients without loopback addresses", () => {
    const env = { HTTP_PROXY: 'http://plain.test:2', NO_PROXY: 'a.test' };
    expect(nodeProxies(readProxies(env))).toEqual({
      http_proxy: 'http://plain.test:2/',
      https_proxy: 'http://plain.test:2/',
      no_proxy: 'a.test,localhost,127.0.0.1,[::1],::1',
    });
    expect(nodeProxies(noProxies)).toEqual({});
  });
});

/** An HTTP server, which the proxy finds under every name. */
async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    portOf: () => port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const policy = new AddressPolicy({ allowHttp: true, allowHosts: [] });
const unknownName = async (): Promise<string[]> => Promise.reject(new Error('ENOTFOUND'));
const client = (given: Partial<GuardedClientOptions> = {}) =>
  guardedClient({ policy, timeoutMs: 5_000, maxBytes: 100_000, resolve: unknownName, ...given });

describe('a guarded request', () => {
  it('goes through the proxy, which resolves the name, with its whole URL and the password for the proxy', async () => {
    await using server = await serving(async (request, response) => {
      response.setHeader('x-seen', JSON.stringify(request.headers));
      response.end(`${request.url} ${await text(request)}`);
    });
    await using proxy = await openProxy({ portOf: server.portOf, credentials: 'ada:s e' });
    useProxies(readProxies({ HTTP_PROXY: proxy.url.replace('//', '//ada:s%20e@') }));
    const response = await client().fetch('http://hooks.test/x?y=1', { method: 'POST', body: 'hello' });
    expect([response.status, await response.text()]).toEqual([200, '/x?y=1 hello']);
    expect(proxy.requests).toEqual(['POST http://hooks.test/x?y=1']);
    const seen = JSON.parse(response.headers.get('x-seen') ?? '');
    expect(seen).toMatchObject({ host: 'hooks.test' });
    expect(seen['proxy-authorization']).toBeUndefined();
  });

  it('with TLS asks the proxy to connect to the name', async () => {
    await using proxy = await openProxy({ refusal: 502 });
    useProxies(readProxies({ HTTPS_PROXY: proxy.url }));
    await expect(client().fetch('https://hooks.test/x')).rejects.toThrow(
      `the proxy ${proxy.url} answered 502: it cannot reach this address`,
    );
    expect(proxy.requests).toEqual(['CONNECT hooks.test:443']);
  });

  it.each([
    ['http', 407, 'it wants a user name and password, in HTTPS_PROXY or HTTP_PROXY', false],
    ['https', 407, 'it wants a user name and password, in HTTPS_PROXY or HTTP_PROXY', false],
    ['http', 403, 'it does not allow this address', true],
    ['https', 403, 'it does not allow this address', true],
    ['http', 503, 'it cannot reach this address', false],
    ['https', 500, 'it does not connect', false],
  ])('over %s that the proxy refuses with %i says that it was the proxy', async (scheme, refusal, words, isFinal) => {
    await using proxy = await openProxy({ refusal });
    useProxies(readProxies({ HTTP_PROXY: proxy.url.replace('//', '//ada:s3cret@') }));
    const error = await client()
      .fetch(`${scheme}://hooks.test/`)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProxyError);
    expect(error).toMatchObject({ message: `the proxy ${proxy.url} answered ${refusal}: ${words}`, isFinal });
  });

  it.each(['http', 'https'])('over %s names a proxy that is not there', async (scheme) => {
    useProxies(readProxies({ HTTP_PROXY: 'http://ada:s3cret@127.0.0.1:1' }));
    await expect(client().fetch(`${scheme}://hooks.test/`)).rejects.toThrow(
      'the proxy http://127.0.0.1:1 cannot be reached: ECONNREFUSED',
    );
  });

  it("keeps the server's own answers, such as 403 and 502", async () => {
    await using server = await serving((_, response) => response.writeHead(502).end('mine'));
    await using proxy = await openProxy({ portOf: server.portOf });
    useProxies(readProxies({ HTTP_PROXY: proxy.url }));
    const response = await client().fetch('http://hooks.test/');
    expect([response.status, await response.text()]).toEqual([502, 'mine']);
  });

  it.each([
    ['http://10.0.0.1/', unknownName],
    ['http://169.254.169.254/latest/meta-data', unknownName],
    ['https://[::ffff:10.0.0.1]/', unknownName],
    ['http://2130706433/', unknownName],
    ['http://inside.test/', async () => ['10.0.0.1']],
    ['https://both.test/', async () => ['93.184.215.14', '10.0.0.1']],
  ])('to %s is refused before the proxy hears of it', async (url, resolve) => {
    await using proxy = await openProxy();
    useProxies(readProxies({ HTTP_PROXY: proxy.url }));
    await expect(client({ resolve }).fetch(url)).rejects.toThrow(AddressRefused);
    expect(proxy.requests).toEqual([]);
  });

  it('to a host of NO_PROXY is made directly, under the same policy', async () => {
    await using proxy = await openProxy();
    useProxies(readProxies({ HTTP_PROXY: proxy.url, NO_PROXY: '.test' }));
    const direct = client({ resolve: async () => ['10.0.0.1'] });
    await expect(direct.fetch('http://inside.test/')).rejects.toThrow(AddressRefused);
    expect(proxy.requests).toEqual([]);
  });

  it('has the same limits', async () => {
    await using server = await serving((_, response) => response.end('x'.repeat(200_000)));
    await using proxy = await openProxy({ portOf: server.portOf });
    useProxies(readProxies({ HTTP_PROXY: proxy.url }));
    const response = await client().fetch('http://hooks.test/');
    await expect(response.text()).rejects.toThrow('longer than 100000 bytes');
  });
});

describe('a request without a limit of time', () => {
  it('goes through the proxy, too', async () => {
    await using server = await serving((request, response) => response.end(request.headers.host));
    await using proxy = await openProxy({ portOf: server.portOf });
    useProxies(readProxies({ HTTP_PROXY: proxy.url }));
    expect(await (await untimedFetch('http://model.test/v1')).text()).toBe('model.test');
    expect(proxy.requests).toEqual(['GET http://model.test/v1']);
  });

  it.each(['http', 'https'])('over %s says that it was the proxy', async (scheme) => {
    await using proxy = await openProxy({ refusal: 407 });
    useProxies(readProxies({ HTTP_PROXY: proxy.url }));
    await expect(untimedFetch(`${scheme}://model.test/v1`)).rejects.toThrow(`the proxy ${proxy.url} answered 407`);
  });

  it('takes an API key to no other origin', async () => {
    await using other = await serving((_, response) => response.end('other'));
    await using server = await serving((request, response) =>
      request.url === '/same'
        ? response.writeHead(307, { location: '/there' }).end()
        : request.url === '/there'
          ? response.end('there')
          : response.writeHead(307, { location: `http://127.0.0.1:${other.portOf()}/` }).end(),
    );
    const origin = `http://127.0.0.1:${server.portOf()}`;
    const headers = { 'api-key': 'secret' };
    expect(await (await untimedFetch(`${origin}/same`, { method: 'POST', body: 'x', headers })).text()).toBe('there');
    expect((await untimedFetch(`${origin}/away`, { method: 'POST', body: 'x', headers })).status).toBe(307);
  });
});
