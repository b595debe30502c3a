import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { defaultConnectionLimits } from '../../src/settings/connection-settings.ts';
import { drip, openRaw, type RawConnection } from '../support/attack.ts';
import { get } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    gateway: {
      connections: { ...defaultConnectionLimits, headersMs: 400, bodyMs: 800 },
      grpc: { port: 0, publicAddress: 'auto' },
    },
  });
});

afterAll(() => stage[Symbol.asyncDispose]());

function open(url: string, text?: string): RawConnection {
  const connection = openRaw(url, text);
  onTestFinished(() => void connection.socket.destroy());
  return connection;
}

const closed = (all: readonly RawConnection[]): Promise<unknown> =>
  until(() => all.every(({ isClosed }) => isClosed()), { what: 'all connections are closed' });

const head = 'POST /message:send HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';

describe('A slow client', () => {
  it('that sends no complete headers is disconnected, however many there are', async () => {
    const silent = Array.from({ length: 50 }, () => open(stage.url));
    const dripping = Array.from({ length: 50 }, () => open(stage.url, 'GET / HTTP/1.1\r\n'));
    for (const each of dripping) drip(each, 'X-Header: x\r\n', 50);
    expect((await get(`${stage.url}/healthz`)).status).toBe(200);
    await closed([...silent, ...dripping]);
    expect(dripping[0]?.received()).toMatch(/^HTTP\/1\.1 408 .*"code":408/s);
  });

  it('that sends no complete body gets 408, and is disconnected', async () => {
    const connections = Array.from({ length: 50 }, () => open(stage.url, `${head}Content-Length: 100000\r\n\r\n{`));
    for (const each of connections) drip(each, ' ', 50);
    await closed(connections);
    expect(connections[0]?.received()).toMatch(/^HTTP\/1\.1 408 .*"code":408/s);
  });

  it('keeps its connection longer between two requests than within one', async () => {
    const connection = open(stage.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => connection.received().endsWith('"ok"}'), { what: 'the first answer' });
    const slow = open(stage.url, 'GET /healthz HTTP/1.1\r\n');
    await closed([slow]);
    connection.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await closed([connection]);
    expect(connection.received().match(/"ok"/g)).toHaveLength(2);
  });
});

describe('A client with many connections', () => {
  const limited = (some: object) =>
    stage.another({ connections: { ...defaultConnectionLimits, ...some }, grpc: { port: 0, publicAddress: 'auto' } });

  it.each([{ max: 20 }, { maxPerAddress: 20 }])('keeps only as many as the limit allows: %o', async (limit) => {
    const url = await limited(limit);
    const grpc = `http://${await grpcAddressOf(url)}`;
    const connections = Array.from({ length: 50 }, (_, i) => open(i % 2 === 0 ? url : grpc));
    const openOnes = (): readonly RawConnection[] => connections.filter(({ isClosed }) => !isClosed());
    await until(() => openOnes().length <= 20, { what: 'the others are closed' });
    for (const each of openOnes()) each.socket.destroy();
    await until(
      () =>
        get(`${url}/healthz`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      {
        what: 'there is room again',
      },
    );
  });
});

describe('A request with too many headers', () => {
  it('is refused: no header is dropped silently', async () => {
    const lines = Array.from({ length: 101 }, (_, i) => `X-${i}: x\r\n`).join('');
    const connection = open(stage.url, `GET /healthz HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
    await closed([connection]);
    expect(connection.received()).toMatch(/^HTTP\/1\.1 431 .*"code":431/s);
  });
});

describe('Every answer', () => {
  it('has headers that keep browsers from rendering it', async () => {
    for (const path of ['/healthz', '/tasks', '/nothing', '/.well-known/agent-card.json', '/v1/card']) {
      const { headers } = await get(stage.url + path);
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('server') ?? headers.get('x-powered-by')).toBeNull();
    }
  });
});
