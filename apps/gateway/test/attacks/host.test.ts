import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { openRaw } from '../support/attack.ts';
import { rawRequest } from '../support/raw-request.ts';
import { openStage, type Stage } from '../support/stage.ts';

// RFC 9112 3.2: a proxy in front may take another of the two hosts, or read a host that is none in another way.

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Request {
  readonly target?: string;
  readonly hosts: readonly string[];
}

async function statusOf({ target = '/agents', hosts }: Request): Promise<number> {
  const lines = [`GET ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Connection: close'];
  return (await rawRequest(stage.url, `${lines.join('\r\n')}\r\n\r\n`)).status;
}

describe('The Host of a request', () => {
  it.each(['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]', '[::1]:8080', 'LOCALHOST'])(
    'may be %s',
    async (host) => {
      expect(await statusOf({ hosts: [host] })).toBe(200);
    },
  );

  it.each([
    'localhost, evil.example',
    'localhost/tasks',
    'user@localhost',
    'localhost:99999',
    'localhost:x',
    '[::1',
    '999.1.1.1',
    'a b',
    '<script>',
    '\u00e9',
  ])('is refused with 400 if it is none: %s', async (host) => {
    expect(await statusOf({ hosts: [host] })).toBe(400);
  });

  it('is refused with 400 if there are two, also equal ones', async () => {
    expect(await statusOf({ hosts: ['localhost', 'evil.example'] })).toBe(400);
    expect(await statusOf({ hosts: ['localhost', 'localhost'] })).toBe(400);
  });

  it('is refused with 400 if there is none', async () => {
    expect(await statusOf({ hosts: [] })).toBe(400);
  });

  it('is that of the target, if it has one', async () => {
    expect(await statusOf({ target: 'http://localhost/agents', hosts: ['evil.example'] })).toBe(200);
    expect(await statusOf({ target: 'http://evil.example/agents', hosts: ['localhost'] })).toBe(403);
    expect(await statusOf({ target: 'http://user@localhost/agents', hosts: ['localhost'] })).toBe(400);
  });
});

describe('A foreign Host, without authentication', () => {
  it.each(['/.well-known/agent-card.json', '/agents/echo/.well-known/agent-card.json', '/.well-known/jwks.json'])(
    'reads nothing: %s',
    async (target) => {
      expect(await statusOf({ target, hosts: ['evil.example'] })).toBe(403);
      expect(await statusOf({ target, hosts: ['localhost'] })).toBe(200);
    },
  );

  it('reads neither the catalogue nor where the console is', async () => {
    expect(await statusOf({ target: '/.well-known/ard.json', hosts: ['evil.example'] })).toBe(403);
    expect(await statusOf({ target: '/console', hosts: ['evil.example'] })).toBe(403);
  });

  it('reads whether the gateway is healthy', async () => {
    expect(await statusOf({ target: '/healthz', hosts: ['probe.example'] })).toBe(200);
  });
});

it('A request with Upgrade is the last of its connection, so that no later answer is taken for its own', async () => {
  const upgrade = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
  const raw = openRaw(stage.url, `${upgrade}GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await until(() => raw.isClosed(), { what: 'the connection is closed' });
  expect(raw.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(raw.received()).toContain('Connection: close');
});
