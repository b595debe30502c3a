import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@switchyard/local';
import type { Task } from '@switchyard/protocol';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { descendantsOf, isAlive, type RunningProcess } from '../../../tests/support/descendants.ts';
import { userMessage } from '../../../tests/support/messages.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { get, getTask, send, submit } from '../../../tests/support/rest.ts';
import { until } from '../../../tests/support/until.ts';

const cli = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** An agent that runs one turn at a time, each as long as its message says in ms. */
const till = 'tests/support/agents/till.ts';

describe('switchyard all', () => {
  let program: Program | undefined;

  afterEach(() => program?.stop());

  async function all(args: readonly string[], env: Env = {}): Promise<string> {
    program = await startProgram({ file: cli, args: ['all', ...args], env: settings(env) });
    return urlOf(program);
  }

  it('runs a gateway and two workers, one of them on the metrics port, and restarts each one that dies', async () => {
    const url = await all(['examples/echo/agent.ts', '--workers', '2'], { METRICS_PORT: '0', DRAIN_MS: '0' });
    const children = descendantsOf(program?.pid ?? 0);
    expect(children).toHaveLength(3);
    await program?.waitFor(/"event":"started"[\s\S]*"event":"started"/, 30_000);
    expect(program?.output().match(/"event":"measuring"/g)).toHaveLength(1);
    const [worker] = children.filter(({ command }) => command.includes('worker'));
    process.kill(worker?.pid ?? 0, 'SIGKILL');
    await program?.waitFor(/worker \d ended unexpectedly/);
    expect((await send(url, userMessage('hello'))).status.state).toBe('TASK_STATE_COMPLETED');
    expect(await program?.stop(20_000)).toBe(0);
  });

  it('restarts a killed gateway on the same port while the turn goes on', async () => {
    const url = await all([till], { PORT: String(await freePort()), DRAIN_MS: '0' });
    const { id } = await submit(url, userMessage('1000'));
    const [gateway] = descendantsOf(program?.pid ?? 0).filter(({ command }) => command.includes('gateway'));
    process.kill(gateway?.pid ?? 0, 'SIGKILL');
    await program?.waitFor(/the gateway ended unexpectedly \(signal 9\): starting it again/);
    const task = await until(() => ended(url, id), { what: 'its answer', timeoutMs: 30_000 });
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('on SIGTERM lets short turns end, hands long ones back, and completes those at the next start', async () => {
    const env = { KEY_PREFIX: uniquePrefix(), DRAIN_MS: '1000' };
    const url = await all([till], env);
    const [short, long] = [await submit(url, userMessage('400')), await submit(url, userMessage('2500'))];
    await until(async () => (await getTask(url, short.id)).status.state !== 'TASK_STATE_SUBMITTED', { what: 'a turn' });
    const children = descendantsOf(program?.pid ?? 0);
    program?.kill('SIGTERM');
    expect(await program?.exited).toBe(0);
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
    const next = await all([till], { ...env, DRAIN_MS: '0' });
    expect((await getTask(next, short.id)).status.state).toBe('TASK_STATE_COMPLETED');
    const task = await until(() => ended(next, long.id), { what: 'the end of the other', timeoutMs: 30_000 });
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('exits with 1 and stops everything if one process cannot start, and names it', async () => {
    program = await startProgram({ file: cli, args: ['all', 'nowhere.ts'], env: settings({}) });
    expect(await program.exited).toBe(1);
    expect(program.output()).toMatch(
      /There is no module \S+nowhere\.ts[\s\S]*Reason: the worker cannot start: see above\n/,
    );
    expect(descendantsOf(program.pid)).toEqual([]);
  });

  it('exits with 1 and stops everything if the gateway keeps dying', async () => {
    await all(['examples/echo/agent.ts'], { DRAIN_MS: '0' });
    const children = descendantsOf(program?.pid ?? 0);
    for (const killed = new Set<number>(); program?.isRunning(); await delay(20))
      for (const { pid, command } of descendantsOf(program.pid))
        if (command.includes('gateway') && !killed.has(pid)) {
          process.kill(pid, 'SIGKILL');
          killed.add(pid);
        }
    expect(await program?.exited).toBe(1);
    expect(program?.output()).toContain('the gateway does not stay up (signal 9): giving up');
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it.each(['runs', 'starts'])('leaves no process behind when it is killed while it %s', async (state) => {
    const env = settings({ DRAIN_MS: '0' });
    program = await startProgram({ file: cli, args: ['all', 'examples/echo/agent.ts'], env });
    if (state === 'runs') await urlOf(program);
    const children = await until(() => bothOf(program?.pid), { what: 'a gateway and a worker', timeoutMs: 30_000 });
    program.kill('SIGKILL');
    await until(() => children.every(({ pid }) => !isAlive(pid)), { what: 'all have ended', timeoutMs: 20_000 });
  });
});

type Env = Readonly<Record<string, string>>;

function settings(env: Env): Env {
  return { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix(), PORT: '0', GRPC_PORT: 'off', ...env };
}

/** Resolves once the gateway knows the agent. */
async function urlOf(program: Program): Promise<string> {
  const [, url = ''] = await program.waitFor(/"url":"(http[^"]+)","msg":"listening"/, 30_000);
  await until(async () => (await get<{ agents: unknown[] }>(`${url}/agents`)).body.agents.length > 0, {
    what: 'the gateway knows the agent',
    timeoutMs: 30_000,
  });
  return url;
}

/** The gateway and the worker, once both run. */
function bothOf(pid = 0): RunningProcess[] | undefined {
  const children = descendantsOf(pid);
  return children.length === 2 ? children : undefined;
}

/** @returns undefined if it has not ended */
async function ended(url: string, id: string): Promise<Task | undefined> {
  const task = await getTask(url, id);
  return /SUBMITTED|WORKING/.test(task.status.state) ? undefined : task;
}
