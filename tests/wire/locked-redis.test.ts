import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer, freePort, type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { userMessage } from '../support/messages.ts';
import { startProgram } from '../support/process.ts';
import { getTask, send, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// The Redis of docker-compose.yml as a process, with its command line and the secrets created at its first start.

let folder: string;
let port: number;
let server: GuardedProcess;
let stack: Stack;
let shown: string;
const file = (...path: string[]): string => join(folder, ...path);
const read = (...path: string[]): string => readFileSync(file(...path), 'utf8').trim();

interface Access {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly ca?: string } | 'none';
}

function makeSecrets(): string {
  const folders = ['gateway', 'programs', 'redis', 'metrics'].map((name) => file(name));
  const script = join(process.cwd(), 'deploy/secrets/make-secrets.sh');
  return execFileSync('/bin/sh', [script, ...folders, 'redis'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function connect({ tls = { ca: read('programs', 'redis-ca.crt') }, ...options }: Access = {}): Redis {
  const alone = { lazyConnect: true, retryStrategy: null, enableReadyCheck: false, maxRetriesPerRequest: 0 };
  const redis = new Redis({ port, host: '127.0.0.1', ...alone, ...(tls !== 'none' && { tls }), ...options });
  redis.on('error', () => undefined); // each command rejects with the error
  onTestFinished(() => redis.disconnect());
  return redis;
}

function asSwitchyard(): Redis {
  return connect({ username: 'switchyard', password: read('programs', 'redis-password') });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-locked-'));
  for (const name of ['gateway', 'programs', 'redis', 'metrics', 'data']) mkdirSync(file(name));
  shown = makeSecrets();
  port = await freePort();
  const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true });
  const [program = '', ...args]: string[] = services.redis.command;
  const own = args.map((word) => word.replace(/^\/secrets/, folder).replace(/^6379$/, String(port)));
  server = await spawnGuarded(findRedisServer(process.env) ?? program, [
    ...own,
    '--dir',
    file('data'),
    '--bind',
    '127.0.0.1',
  ]);
  stack = await startStack({
    redisUrl: `rediss://switchyard@127.0.0.1:${port}`,
    agents: ['pizza', 'echo'],
    env: {
      REDIS_PASSWORD_FILE: file('programs', 'redis-password'),
      REDIS_CA_FILE: file('programs', 'redis-ca.crt'),
      PUSH_SECRET_FILE: file('programs', 'push-secret'),
      KEY_PREFIX: 'sw',
    },
  });
});

afterAll(async () => {
  await stack?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a deployment with restricted rights in Redis', () => {
  it('accepts, runs, streams and stores without a forbidden command', async () => {
    const [url = ''] = stack.urls;
    const task = await send(url, userMessage('I want a pizza'));
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const { id } = await submit(url, userMessage('Hawaiian', task));
    await until(async () => (await getTask(url, id)).status.state === 'TASK_STATE_COMPLETED', { what: 'it ends' });
    const admin = connect({ username: 'admin', password: read('redis', 'admin-password') });
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
    expect((await admin.keys('*')).filter((key) => !key.startsWith('sw'))).toEqual([]);
  });

  it.each([
    [['config', 'get', '*'], 'run'],
    [['keys', '*'], 'run'],
    [['flushall'], 'run'],
    [['acl', 'list'], 'run'],
    [['replicaof', '127.0.0.1', '1'], 'run'],
    [['get', 'other:secret'], 'keys?'],
    [['eval', "return redis.call('get', 'other:secret')", '0'], 'script'],
    [['publish', 'other', 'x'], 'channels?'],
  ])('its own user cannot run %j', async ([command = '', ...args], what) => {
    await expect(asSwitchyard().call(command, ...args)).rejects.toThrow(new RegExp(what));
  });

  it('clients without a password are refused, and the user for health checks can only ping', async () => {
    await expect(connect().get('sw')).rejects.toThrow('NOAUTH');
    const health = connect({ username: 'health', password: '-' });
    expect(await health.ping()).toBe('PONG');
    await expect(health.get('sw')).rejects.toThrow('NOPERM');
  });

  it('no password is sent without TLS, or to a server of another certificate authority', async () => {
    await expect(connect({ tls: 'none' }).ping()).rejects.toThrow();
    const trusting = connect({ tls: {} });
    const [[reason]] = await Promise.all([once(trusting, 'error'), expect(trusting.ping()).rejects.toThrow()]);
    expect(String(reason)).toMatch(/certificate/);
    const wrong = { REDIS_URL: 'redis://127.0.0.1', REDIS_CA_FILE: file('programs', 'redis-ca.crt') };
    const gateway = await startProgram({ file: 'apps/gateway/src/main.ts', env: wrong });
    expect(await gateway.exited).toBe(2);
    expect(gateway.output()).toContain('REDIS_CA_FILE: REDIS_URL has no TLS: it must begin with rediss');
  });

  it("prints the first client's key once, and creates nothing a second time", () => {
    const [key = ''] = read('gateway', 'api-keys').split(':');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(shown).toContain(`export API_KEY=${key}\n`);
    const everything = () =>
      ['gateway', 'programs', 'redis', 'metrics'].flatMap((it) => readdirSync(file(it)).map((at) => read(it, at)));
    const before = everything();
    expect(makeSecrets()).toBe('');
    expect(everything()).toEqual(before);
  });
});
