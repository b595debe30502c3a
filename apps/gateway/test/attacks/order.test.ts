import { connect as connectHttp2 } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { defaultRateSettings } from '../../src/settings/limit-settings.ts';
import { openRaw } from '../support/attack.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

const GIB = 1024 ** 3;
const readOnly = 'key-of-alice-0123456789';

const keys = [{ key: readOnly, subject: 'alice', tenant: 'default', scopes: ['read'] }];
let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    gateway: {
      auth: { keys },
      grpc: { port: 0, publicAddress: 'auto' },
      maxBodyBytes: 100_000,
      allowedOrigins: ['https://app.example'],
    },
  });
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Offer {
  readonly verb?: 'GET' | 'HEAD' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly headers?: readonly string[];
  readonly length?: number | 'chunked';
}

/** Offers a gigabyte, and sends it as long as the gateway reads. */
async function offer(
  { verb, path, headers = [], length = GIB }: Offer,
  url = stage.url,
): Promise<{ answer: string; sent: number }> {
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const head = [
    `${verb ?? 'POST'} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    size,
    ...headers,
  ];
  const connection = openRaw(url, `${head.join('\r\n')}\r\n\r\n`);
  const { socket } = connection;
  const piece = Buffer.from(length === 'chunked' ? `4000\r\n${' '.repeat(0x4000)}\r\n` : ' '.repeat(0x4000));
  const send = (): void => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', send);
  send();
  await until(() => connection.received().includes('\r\n\r\n'), {
    what: 'it is answered',
    timeoutMs: 1_000,
    everyMs: 5,
  });
  await until(() => socket.destroyed, { what: 'the connection is closed', timeoutMs: 1_000 });
  return { answer: connection.received(), sent: socket.bytesWritten };
}

/** What the buffers of both sockets can hold although nobody reads. */
const BUFFERS = 8 * 1024 * 1024;

const withKey = [`X-API-Key: ${readOnly}`];

describe('A body of a gigabyte with a refused request', () => {
  it.each<[string, string, Offer]>([
    ['no key, over JSON-RPC', '401', { path: '/' }],
    ['no key, in chunks', '401', { path: '/', length: 'chunked' }],
    ['no key, over REST', '401', { path: '/message:send' }],
    ['no key, over REST of 0.3', '401', { path: '/v1/message:send' }],
    ['a key with the scope read, over REST', '403', { path: '/message:send', headers: withKey }],
    ['an origin that is not allowed', '403', { path: '/', headers: [...withKey, 'Origin: https://evil.example'] }],
    ['a body beyond MAX_BODY_BYTES', '413', { path: '/', headers: withKey }],
    ['a body beyond MAX_BODY_BYTES, in chunks', '413', { path: '/', headers: withKey, length: 'chunked' }],
    ['an unknown path', '404', { path: '/nothing/at/all/of/it' }],
    ['a wrong method', '405', { path: '/agents' }],
  ])('is not read: %s', async (_, status, offered) => {
    const { answer, sent } = await offer(offered);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(sent).toBeLessThan(BUFFERS);
  });

  it('is not read: too many requests', async () => {
    const rates = { ...defaultRateSettings, perPrincipal: { count: 1, seconds: 3_600 } };
    const url = await stage.another({ auth: { keys }, rates });
    expect((await fetch(`${url}/tasks`, { headers: { 'x-api-key': readOnly } })).status).toBe(200);
    const { answer, sent } = await offer({ path: '/', headers: withKey }, url);
    expect(answer).toMatch(/^HTTP\/1.1 429 .*\r\nConnection: close\r\n/is);
    expect(sent).toBeLessThan(BUFFERS);
  });

  it('is not read over gRPC', async () => {
    const session = connectHttp2(`http://${await grpcAddressOf(stage.url)}`);
    const path = '/lf.a2a.v1.A2AService/SendMessage';
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    for (const key of [{}, { 'x-api-key': readOnly }]) {
      const stream = session.request({ ...headers, ...key });
      let status: unknown;
      let sent = 0;
      stream.on('response', (answer) => {
        status = answer['grpc-status'];
      });
      stream.on('error', () => undefined).resume();
      const piece = Buffer.alloc(0x4000);
      const send = (): void => {
        while (stream.writable && stream.write(piece)) sent += piece.length;
      };
      stream.on('drain', send);
      send();
      await until(() => stream.closed, { what: 'the stream is closed', timeoutMs: 1_000 });
      expect([status, sent < 256 * 1024]).toEqual(['x-api-key' in key ? '7' : '16', true]);
    }
    session.destroy();
  });
});

describe('A body of a gigabyte with a request that needs none', () => {
  const card = '/.well-known/agent-card.json';
  const page = ['Origin: https://app.example', 'Access-Control-Request-Method: POST'];

  it.each<[string, string, Offer]>([
    ['GET without a key', '200', { verb: 'GET', path: card }],
    ['GET without a key, in chunks', '200', { verb: 'GET', path: card, length: 'chunked' }],
    ['HEAD', '200', { verb: 'HEAD', path: card }],
    ['GET of a list', '200', { verb: 'GET', path: '/tasks', headers: withKey }],
    ['GET of a card, over REST of 0.3', '401', { verb: 'GET', path: '/v1/card' }],
    ['DELETE', '403', { verb: 'DELETE', path: '/tasks/none', headers: withKey }],
    ['a preflight request of a browser', '204', { verb: 'OPTIONS', path: '/', headers: page }],
  ])('is not read: %s', async (_, status, offered) => {
    const { answer, sent } = await offer(offered);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(sent).toBeLessThan(BUFFERS);
  });
});

describe('A refused connection', () => {
  it('stays open if the body had arrived', async () => {
    const request = 'POST /message:send HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const connection = openRaw(stage.url, `${request}Content-Length: 2\r\n\r\n{}`);
    await until(() => connection.received().includes('\r\n\r\n'), { what: 'it is answered' });
    connection.socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => connection.received().includes('200 OK'), { what: 'the next one is answered' });
    expect(connection.received()).toMatch(/^HTTP\/1.1 401 /);
    connection.socket.destroy();
  });
});
