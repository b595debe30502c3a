import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { descendantsOf, isAlive } from '../../../tests/support/descendants.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { Desk } from './support/desk.ts';

const blocker = 'apps/worker/test/fixtures/blocker.ts';
const redisUrl = inject('redisUrl');
let prefix: string;
let store: Store;
let desk: Desk;
let programs: Program[];

beforeEach(async () => {
  prefix = uniquePrefix();
  programs = [];
  store = new Store({ redisUrl, prefix }, () => undefined);
  await store.start();
  desk = await Desk.open({ redisUrl, prefix, agent: 'blocker' });
});

afterEach(async () => {
  await Promise.all(programs.map((program) => program.stop(0)));
  await desk.close();
  await store.stop();
});

async function startWorker(args: readonly string[] = [blocker], env: Readonly<Record<string, string>> = {}) {
  const settings = { REDIS_URL: redisUrl, KEY_PREFIX: prefix, DRAIN_MS: '0', MAX_BLOCKED_MS: '5000', ...env };
  const worker = await startProgram({ file: 'apps/worker/src/main.ts', args, env: settings });
  programs.push(worker);
  await worker.waitFor(/"event":"started"/, 30_000);
  return worker;
}

/** The answer comes from another worker, or never. */
function ask(text: string): Promise<string> {
  const answer = desk.ask(text);
  answer.catch(() => undefined);
  return answer;
}

const reading = async () => (await new Ops(store).workers.list())[0];

describe('an agent that blocks its worker', () => {
  it('by a loop: log, report and attempt name the line, and the worker ends with code 70', async () => {
    const worker = await startWorker();
    ask('loop 60000');
    const blocked = await until(async () => (await reading())?.blocked, { what: 'its report', timeoutMs: 20_000 });
    expect(blocked).toEqual({ taskId: expect.any(String), at: 'apps/worker/test/fixtures/blocker.ts:7' });
    const { state, silentSince } = { ...(await reading()), ...(await new Ops(store).agents.list())[0] };
    expect([state, silentSince]).toEqual(['silent', expect.any(String)]);
    expect(await worker.exited).toBe(70);
    const line = String.raw`the agent \"blocker\" has blocked the worker for 3 s at apps/worker/test/fixtures/blocker.ts:7`;
    expect(worker.output()).toContain(`${line}; after 5 s the worker ends`);
    expect(worker.output()).not.toContain('debugger');
    expect(worker.output()).toMatch(/"level":50.*blocked the worker for 5 s at \S+blocker\.ts:7: the worker ends/);
    expect(await new Ops(store).workers.list()).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends at once by %s when the log has said so', async (signal) => {
    const worker = await startWorker([blocker], { MAX_BLOCKED_MS: '60000' });
    ask('loop 60000');
    await worker.waitFor(/has blocked the worker for 3 s/, 20_000);
    worker.kill(signal);
    expect(await worker.exited).toBe(128 + (signal === 'SIGINT' ? 2 : 15));
  });

  it('by native code, which shows no line, ends the worker by SIGKILL, and the log names the task', async () => {
    const worker = await startWorker();
    ask('native');
    expect(await worker.exited).toBe(128 + 9);
    expect(worker.output()).toMatch(/"task":".*the agent \\"blocker\\" blocked the worker for 5 s, in native code/);
  });

  it('for less than the limit goes on, and the log says that the worker answers again', async () => {
    const worker = await startWorker([blocker], { MAX_BLOCKED_MS: '60000' });
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-blocked-'));
    const answer = ask(`look ${folder}/file`);
    await worker.waitFor(/has blocked the worker for 3 s/, 20_000);
    await writeFile(join(folder, 'file'), '');
    expect(await answer).toMatch(/^look, in process/);
    await rm(folder, { recursive: true });
    await worker.waitFor(/the worker answers again: an agent had blocked it for \d s/);
    await until(async () => (await reading())?.state === 'working', { what: 'it reports again' });
  });

  it('again and again makes the message a dead letter', async () => {
    const env = { MAX_ATTEMPTS: '2' };
    await startWorker([blocker], env);
    const answer = ask('loop 60000');
    await programs[0]?.exited;
    await startWorker([blocker], env);
    await programs[1]?.exited;
    await startWorker([blocker], env);
    expect(await answer).toContain('stopped unexpectedly 2 times');
    const { items } = await new Ops(store).deadLetters.list({ pageSize: 10 });
    expect(JSON.stringify(items)).toContain('The agent blocked its worker for 5 s at ');
  });
});

describe('an agent that calls process.exit', () => {
  it('ends its worker with code 70, and the log says where', async () => {
    const worker = await startWorker();
    ask('exit');
    expect(await worker.exited).toBe(70);
    expect(worker.output()).toMatch(
      /the agent \\"blocker\\" called process\.exit\(0\) at \S+blocker\.ts:\d+: the worker ends/,
    );
  });
});

describe('an agent that throws in a timer', () => {
  it('fails its turn at once, and its worker goes on', async () => {
    const worker = await startWorker();
    expect(await ask('timer')).toBe('The agent failed unexpectedly.');
    await worker.waitFor(/"event":"uncaught-exception".*blocker\.ts:\d+/);
    expect(await ask('loop 0')).toMatch(/^loop, in process/);
  });
});

describe('a supervised worker that is blocked', () => {
  let folder: string;
  let agent: string;

  beforeEach(async () => {
    folder = await mkdtemp('apps/worker/test/fixtures/watched-');
    agent = join(folder, 'agent.ts');
    await copyFile(blocker, agent);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function startBlocked() {
    const supervisor = await startWorker(['--watch', agent], { MAX_BLOCKED_MS: '60000' });
    const answer = ask('loop 600000');
    await until(async () => (await reading())?.blocked, { what: 'its report', timeoutMs: 20_000 });
    const [child] = descendantsOf(supervisor.pid);
    return { supervisor, answer, pid: child?.pid ?? 0 };
  }

  it('is ended when its module changes, and the mended agent answers', async () => {
    const { answer, pid } = await startBlocked();
    await writeFile(agent, (await readFile(agent, 'utf8')).replace('while (Date.now() < untilMs);', 'void untilMs;'));
    expect(await answer).toMatch(/^loop, in process/);
    expect(isAlive(pid)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('ends soon after its supervisor gets %s', async (signal) => {
    const { supervisor, pid } = await startBlocked();
    supervisor.kill(signal);
    await until(() => !isAlive(pid), { what: 'the worker is gone', timeoutMs: 8_000 });
  });
});
