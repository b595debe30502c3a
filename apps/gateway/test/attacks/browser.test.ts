import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagesOf } from '../support/bindings/messages.ts';
import { definitionOf, overGrpc } from '../support/bindings/over-grpc.ts';
import { userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { rawRequest } from '../support/raw-request.ts';
import { openStage, type Stage } from '../support/stage.ts';

// A page in a browser on the machine of a gateway without authentication.

let stage: Stage;
let own: string;
/** A gateway with API keys that allows the origin of one page. */
let guarded: string;

const key = 'key-of-alice-0123456789';
const app = 'https://app.example.com';

beforeAll(async () => {
  stage = await openStage();
  own = new URL(stage.url).host;
  guarded = await stage.another({
    auth: { keys: [{ key, subject: 'alice', tenant: 'default', scopes: [] }] },
    allowedOrigins: [app],
  });
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Request {
  readonly verb?: string;
  readonly path?: string;
  readonly headers: readonly string[];
  readonly body?: string;
}

/** Sends any Host header: a page cannot, but DNS rebinding has the same effect. */
function ask(url: string, { verb = 'POST', path = '/', headers, body = '' }: Request): ReturnType<typeof rawRequest> {
  const lines = [`${verb} ${path} HTTP/1.1`, ...headers, `Content-Length: ${body.length}`, 'Connection: close'];
  return rawRequest(url, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

const json = 'Content-Type: application/json';
const sending = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: userMessage('pwned'), configuration: { returnImmediately: true } },
});
const rest = JSON.stringify({ message: userMessage('pwned'), configuration: { returnImmediately: true } });
const legacy = JSON.stringify({ message: { ...userMessage('pwned'), kind: 'message', role: 'user' } });

describe('A page of another site', () => {
  it.each(['Content-Type: text/plain', 'Content-Type: application/x-www-form-urlencoded', 'Accept: */*'])(
    'sends no message with the content type of an HTML form: %s',
    async (type) => {
      for (const [path, body] of [
        ['/', sending],
        ['/message:send', rest],
        ['/v1/message:send', legacy],
      ] as const) {
        const refused = await ask(stage.url, { path, headers: [`Host: ${own}`, type], body });
        expect([path, refused.body]).toEqual([path, expect.stringContaining('must be JSON')]);
      }
    },
  );

  it.each(['https://evil.example', 'null', 'http://localhost:1', `https://${'x'.repeat(300)}`])(
    'gets 403 for the origin %s, also without a body',
    async (origin) => {
      const headers = [`Host: ${own}`, `Origin: ${origin}`, json];
      for (const path of ['/tasks/1:cancel', '/tasks/1:subscribe']) {
        expect((await ask(stage.url, { path, headers })).status).toBe(403);
      }
      expect((await ask(stage.url, { headers, body: sending })).status).toBe(403);
      expect((await ask(stage.url, { verb: 'GET', path: '/tasks', headers })).status).toBe(403);
      expect((await ask(guarded, { headers: [...headers, `X-API-Key: ${key}`], body: sending })).status).toBe(403);
    },
  );

  it('gets 403 without an Origin header if Sec-Fetch-Site says cross-site', async () => {
    const headers = [`Host: ${own}`, 'Sec-Fetch-Site: cross-site'];
    expect((await ask(stage.url, { path: '/tasks/1:cancel', headers })).status).toBe(403);
  });

  it('gets no CORS headers, neither for a preflight request nor for a card', async () => {
    const headers = [`Host: ${own}`, 'Origin: https://evil.example', 'Access-Control-Request-Method: POST'];
    for (const url of [stage.url, guarded]) {
      const answer = await ask(url, { verb: 'OPTIONS', headers });
      expect([answer.status, answer.headers]).toEqual([405, expect.not.stringMatching(/access-control/i)]);
      const card = await ask(url, { verb: 'GET', path: '/.well-known/agent-card.json', headers });
      expect(card.headers).not.toMatch(/access-control/i);
    }
  });
});

describe('A host name that resolves to this machine (DNS rebinding)', () => {
  it.each(['rebind.example', 'rebind.example:4000', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'gets 403: Host %s',
    async (host) => {
      const headers = [`Host: ${host}`, `Origin: http://${host}`, json];
      expect((await ask(stage.url, { headers, body: sending })).status).toBe(403);
      expect((await ask(stage.url, { verb: 'GET', path: '/tasks', headers: [`Host: ${host}`] })).status).toBe(403);
      const forged = [...headers, `X-Forwarded-Host: ${own}`];
      expect((await ask(stage.url, { headers: forged, body: sending })).status).toBe(403);
    },
  );

  it('is refused over gRPC', async () => {
    await using named = await grpcStage();
    const client = new Client(named.address, credentials.createInsecure(), {
      'grpc.default_authority': 'rebind.example',
    });
    const { path, requestSerialize, responseDeserialize } = definitionOf('ListTasks');
    const empty = messagesOf('ListTasks').request.fromJSON({});
    const refusal = await new Promise((resolve) =>
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, empty, resolve),
    );
    client.close();
    expect(refusal).toMatchObject({ code: 7 });
    using usual = overGrpc(named.address);
    expect(await usual.invoke({ operation: 'ListTasks', params: {} })).toHaveProperty('result');
  });

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '[::1]:4000', '192.0.2.7', 'agents.test', 'agents.test:8080'])(
    'is accepted if no attacker can own it, or if it is in ALLOWED_HOSTS: %s',
    async (host) => {
      const url = await listing();
      const headers = [`Host: ${host}`, `Origin: http://${host}`, json];
      expect((await ask(url, { headers, body: sending })).status).toBe(200);
    },
  );

  it('is not checked for callers with a key', async () => {
    const headers = ['Host: rebind.example', json];
    expect((await ask(guarded, { headers: [...headers, `X-API-Key: ${key}`], body: sending })).status).toBe(200);
    expect((await ask(guarded, { headers, body: sending })).status).toBe(401);
  });
});

describe('A page of an allowed origin', () => {
  it('may send requests and read the answers', async () => {
    const asked = [`Host: ${own}`, `Origin: ${app}`];
    const preflight = await ask(guarded, {
      verb: 'OPTIONS',
      headers: [...asked, 'Access-Control-Request-Method: POST'],
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toContain(`Access-Control-Allow-Origin: ${app}`);
    expect(preflight.headers).toMatch(/Access-Control-Allow-Headers: .*Authorization.*Last-Event-ID/);
    // Of version 0.3.
    expect(preflight.headers).toMatch(/Access-Control-Allow-Headers: .*, X-A2A-Extensions,/);
    expect(preflight.headers).toMatch(/Access-Control-Expose-Headers: .*, X-A2A-Extensions,/);
    const answer = await ask(guarded, { headers: [...asked, json, `X-API-Key: ${key}`], body: sending });
    expect(answer.status).toBe(200);
    for (const path of ['/tasks', '/.well-known/agent-card.json', '/agents']) {
      const { headers } = await ask(guarded, { verb: 'GET', path, headers: [...asked, `X-API-Key: ${key}`] });
      expect(headers).toContain(`Access-Control-Allow-Origin: ${app}`);
      expect(headers).toMatch(/Vary:.*Origin/);
    }
    expect(answer.headers).not.toMatch(/allow-credentials/i);
  });
});

let listed: Promise<string> | undefined;
const listing = (): Promise<string> => (listed ??= stage.another({ allowedHosts: ['agents.test'] }));

async function grpcStage(): Promise<{ readonly address: string } & AsyncDisposable> {
  const named = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
  return { address: await grpcAddressOf(named.url), [Symbol.asyncDispose]: () => named[Symbol.asyncDispose]() };
}
