import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, isPortTaken, spawnGuarded } from '@switchyard/local';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descendantsOf, isAlive } from '../../tests/support/descendants.ts';
import { hasProgram } from '../../tests/support/has-program.ts';
import { type Program, startProgram } from '../../tests/support/process.ts';
import { startRedis } from '../../tests/support/redis.ts';
import { until } from '../../tests/support/until.ts';

const hasIpv6 = networkInterfaces().lo?.some(({ address }) => address === '::1');
const hasCurl = hasProgram('curl', '--version');

// Each test starts three processes, on cores that other tests use, too.
describe('npm start', () => {
  let folder: string;
  let program: Program | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-start-'));
  });
  afterEach(async () => {
    await program?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<Program> {
    program = await startProgram({ file: 'scripts/start.ts', env: { PORT: '0', DATA_DIR: folder, ...env } });
    return program;
  }

  async function addressOf(started: Program): Promise<string> {
    return (await started.waitFor(/ready on (\S+)/, 30_000))[1] ?? '';
  }

  it.runIf(hasCurl)('prints commands that work unchanged', async () => {
    const host = hasIpv6 ? '::1' : '127.0.0.1';
    const started = await start({ HOST: host, ADMIN_HOST: host });
    await addressOf(started);
    const [watched = '', sent = '', curl = '', chat = ''] = commandsIn(started.output());
    const run = async (command: string): Promise<string> => {
      return (await promisify(execFile)('/bin/sh', ['-c', command], { timeout: 20_000 })).stdout;
    };
    expect(await run(watched)).toMatch(/State: TASK_STATE_INPUT_REQUIRED\n/);
    expect(await run(sent)).toMatch(/^Task: (\S+)\n[\s\S]*\1/);
    expect(JSON.parse(await run(curl)).task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(await run(`echo 'I want a pizza' | ${chat}`)).toBe('What kind?\n');
  });

  it('serves the console on the next free port, and logs nothing for each turn', async () => {
    const port = await freePort();
    const taken = createServer().listen(port + 100, '127.0.0.1');
    const started = await start({ PORT: String(port) });
    const url = await addressOf(started);
    const [, console = '', key = ''] = await started.waitFor(/^Console: (\S+)#key=(\S+)$/m);
    expect(console).toBe(`http://127.0.0.1:${port + 101}/console/`);
    expect((await stat(join(folder, 'operator-key'))).mode & 0o777).toBe(0o600);
    const headers = { authorization: `Bearer ${key}` };
    expect(await (await fetch(new URL('/admin/me', console), { headers })).json()).toMatchObject({ may: 'all' });
    await until(async () => (await fetch(console)).ok, { what: 'the console is built', timeoutMs: 20_000 });

    const before = started.output();
    await Promise.all(Array.from({ length: 50 }, (_, i) => sendMessage(url, `m-${i}`)));
    await until(async () => (await working(url)) === 0, { what: 'all turns have ended' });
    expect(started.output()).toBe(before);
    taken.close();
  });

  it('stops everything within 5 seconds, and resumes with the same tasks and the same webhook secret', async () => {
    const file = join(folder, 'push-secret');
    const first = await start();
    const before = await addressOf(first);
    await first.waitFor(new RegExp(`^REDIS_URL=.* PUSH_SECRET_FILE=${file} .*npm run worker`, 'm'));
    const secret = await readFile(file, 'utf8');
    expect(Buffer.from(secret, 'base64')).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const taskId = await sendMessage(before);
    await createWebhook(before, taskId, { url: 'http://127.0.0.1:2/hook', token: 'CANARY' });
    const children = descendantsOf(first.pid);
    for (const name of ['redis', 'gateway', 'worker']) {
      expect(children).toContainEqual(expect.objectContaining({ command: expect.stringContaining(name) }));
    }

    const askedAt = Date.now();
    first.kill('SIGINT');
    expect(await first.exited).toBe(0);
    expect(Date.now() - askedAt).toBeLessThan(5_000);
    await until(() => !children.some(({ pid }) => isAlive(pid)), { what: 'all its processes are gone' });
    expect(await appendedIn(folder)).toContain('I want a pizza');
    expect(await appendedIn(folder)).not.toContain('CANARY');
    expect(first.output()).not.toMatch(/in clear/);

    const url = await addressOf(await start());
    await until(async () => (await fetch(`${url}/tasks/${taskId}`)).ok, { what: 'the task is still there' });
    expect(await readFile(file, 'utf8')).toBe(secret);
  });

  it('restarts a killed worker, and stops cleanly when both the terminal and npm send Ctrl-C', async () => {
    const started = await start({ LOG_LEVEL: 'info' });
    await addressOf(started);
    const first = workerOf(started);
    process.kill(first, 'SIGKILL');
    await started.waitFor(/the worker ended unexpectedly \(signal 9\): starting it again/);
    await until(() => workerOf(started) !== first, { what: 'another worker runs' });
    await started.waitFor(/starting it again[\s\S]*"event":"started"/, 30_000);
    started.kill('SIGINT');
    await delay(2); // two simultaneous signals would count as one
    started.kill('SIGINT');
    expect(await started.exited).toBe(0);
    for (const name of ['gateway', 'worker']) expect(started.output()).toMatch(new RegExp(`${name} .*stopped`));
  });

  it('reports a used port, and suggests one that is free for HTTP and gRPC', async () => {
    const { port } = new URL(await addressOf(await start({ PORT: String(await freePort()), GRPC_PORT: '' })));
    const second = await startProgram({
      file: 'scripts/start.ts',
      env: { PORT: port, DATA_DIR: join(folder, 'other') },
    });
    expect(await second.exited).toBe(1);
    const [, advised = ''] = await second.waitFor(
      /port \d+ is taken. Choose another one: PORT=(\d+) DATA_DIR=\S+ npm start/,
    );
    expect(Number(advised)).toBeGreaterThan(Number(port) + 1);
    for (const each of [Number(advised), Number(advised) + 1]) expect(await isPortTaken(each, '127.0.0.1')).toBe(false);
  });

  it.each([
    [
      { SEND_MODE: 'x', SWEEP_AFTER_MS: 'soon' },
      2,
      /SEND_MODE: must be blocking or immediate[\s\S]*SWEEP_AFTER_MS: must be a whole/,
    ],
    [{ AUTH: 'api-key', API_KEYS: 'short' }, 1, /API_KEYS: entry 1 is not of the form[\s\S]*the gateway cannot start/],
    [{ REDIS_URL: 'redis+sentinel://[::1]/main' }, 1, /^.*nothing listens at \[::1\]:26379, where REDIS_URL.*\n$/],
    [{ REDIS_URL: 'redis://me:hunter2@127.0.0.1:1' }, 1, /^.*nothing listens at 127\.0\.0\.1:1, where REDIS_URL.*\n$/],
  ])('exits at once with the reason if it cannot work: %j', async (env, code, words) => {
    const started = await start(env);
    expect(await started.exited).toBe(code);
    expect(started.output()).toMatch(words);
    expect(started.output()).not.toMatch(/starting it again|hunter2|^ +at /m);
  });

  it('logs an outage of Redis in a few lines', async () => {
    const redis = await startRedis();
    const started = await start({ REDIS_URL: redis.url });
    const url = await addressOf(started);
    await redis.stop();
    await until(async () => (await fetch(`${url}/readyz`)).status === 503, { what: 'the outage is noticed' });
    await delay(3_000); // each connection retries several times a second
    expect(started.output().match(/ECONNREFUSED/g)?.length).toBeLessThan(10);
  });

  it('serves DEFAULT_AGENT at the root, and prints a command that adds a worker with the same settings', async () => {
    const started = await start({ KEY_PREFIX: 'of-a-test', DEFAULT_AGENT: 'echo' });
    const url = await addressOf(started);
    const card = await fetch(`${url}/.well-known/agent-card.json`);
    expect(await card.json()).toMatchObject({ name: 'Echo' });
    const [line = ''] = await started.waitFor(/^REDIS_URL=.* npm run worker -- --agents .*$/m);
    expect(line).toMatch(/ KEY_PREFIX=of-a-test FILES_URL=file:\/\/\S+\/files PUSH_ALLOW_HTTP=true /);
    expect(line).toContain(" PUSH_ALLOW_HOSTS='127.0.0.0/8 ::1' ");
    const added = await spawnGuarded('/bin/sh', ['-c', line.replace('npm run', 'exec npm run')]);
    await until(async () => (await fetch(`${url}/agents/hello/.well-known/agent-card.json`)).ok, {
      what: 'the agent of the added worker is served',
      timeoutMs: 20_000,
    });
    const { pid: worker = 0 } = descendantsOf(added.pid).at(-1) ?? {};
    expect(worker).toBeGreaterThan(0);
    await added.stop();
    await until(() => !isAlive(worker), { what: 'the added worker ends with its command' });
  });

  it('stops when its output is closed, as by npm start | head', async () => {
    const command = `"${process.execPath}" scripts/start.ts | head -1; echo 'head is gone'`;
    const env = { ...process.env, PORT: '0', DATA_DIR: folder };
    const piped = await spawnGuarded('/bin/sh', ['-c', command], { env });
    const said = (await piped.stdout.toArray()).join('');
    expect(await piped.exited).toBe(0);
    expect(said).toMatch(/head is gone\n$/);
    expect((await piped.stderr.toArray()).join('')).not.toContain('EPIPE');
  });
});

describe('--help', () => {
  it.each([
    ['scripts/start.ts', /npm start[\s\S]*\n {2}DATA_DIR\n/],
    ['scripts/example.ts', /npm run example[\s\S]*pizza/],
    ['apps/cli/src/main.ts', /switchyard[\s\S]*keys[\s\S]*--agent-card/],
    ['scripts/setup.mjs', /Makes a fresh checkout ready[\s\S]*--dry-run/],
    ['scripts/sut.ts', /npm run sut -- \[--port 9999\]/],
    ['apps/gateway/src/main.ts', /switchyard-gateway[\s\S]*switchyard gateway[\s\S]*\n {2}SEND_MODE\n/],
    ['apps/worker/src/main.ts', /switchyard-worker[\s\S]*switchyard worker[\s\S]*\n {2}MAX_ATTEMPTS\n/],
  ])('of %s prints a description, and starts nothing', async (file, words) => {
    const program = await startProgram({ file, args: ['--help'] });
    expect(await program.exited).toBe(0);
    expect(program.output()).toMatch(words);
    expect(program.output(), 'no page that an installed package does not have').not.toContain('.md');
  });
});

/** The pid of the worker itself, not of the shell that starts it. */
function workerOf({ pid }: Program): number {
  const worker = descendantsOf(pid).findLast(({ command }) => /^\S*node\S* .*\/apps\/worker\//.test(command));
  if (!worker) throw new Error('no worker runs');
  return worker.pid;
}

/** The printed shell commands: each starts at the margin and ends at an empty line. */
function commandsIn(output: string): string[] {
  return output.split('\n\n').filter((block) => /^(?:DATA_DIR=\S+ npx|curl) /.test(block));
}

async function sendMessage(url: string, messageId = 'm-1'): Promise<string> {
  const message = { messageId, role: 'ROLE_USER', parts: [{ text: 'I want a pizza' }] };
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  return task.id;
}

/** Number of tasks that are working or waiting for a turn. */
async function working(url: string): Promise<number> {
  const states = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];
  const pages = await Promise.all(states.map((state) => fetch(`${url}/tasks?status=${state}`)));
  const bodies = await Promise.all(pages.map((page) => page.json() as Promise<{ totalSize: number }>));
  return bodies.reduce((sum, { totalSize }) => sum + totalSize, 0);
}

async function createWebhook(url: string, taskId: string, config: object): Promise<void> {
  const response = await fetch(`${url}/tasks/${taskId}/pushNotificationConfigs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(config),
  });
  expect(response.status).toBe(200);
}

/** The append-only file of the embedded Redis. */
async function appendedIn(folder: string): Promise<string> {
  const files = await readdir(join(folder, 'redis'), { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('');
}
