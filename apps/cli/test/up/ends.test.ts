import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnGuarded } from '@switchyard/local';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descendantsOf, isAlive, type RunningProcess } from '../../../../tests/support/descendants.ts';
import { userMessage } from '../../../../tests/support/messages.ts';
import { type Program, startProgram } from '../../../../tests/support/process.ts';
import { submit } from '../../../../tests/support/rest.ts';
import { until } from '../../../../tests/support/until.ts';

// No process of `switchyard up` outlives it, in whatever way it ends, and whatever its agents do.

const DRAIN_MS = 1_000;
const cli = join(process.cwd(), 'apps/cli/src/main.ts');
const folder = join(process.cwd(), 'tests/support/broken-agents');
/** Starting several processes takes long on a busy machine. */
const patience = 60_000;

let data: string;
let up: Program;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'switchyard-ends-'));
});
afterEach(async () => {
  await up.stop(0);
  await rm(data, { recursive: true, force: true });
});

const env = () => ({ PORT: '0', DATA_DIR: data, DRAIN_MS: String(DRAIN_MS), MAX_BLOCKED_MS: '60000' });

/** @returns the address of the gateway */
async function start(...args: readonly string[]): Promise<string> {
  up = await startProgram({ file: cli, args: ['up', './agents/loops.ts', ...args], cwd: folder, env: env() });
  const [, url = ''] = await up.waitFor(/ready on (http:\S+)[\s\S]*Ctrl-C stops/, patience);
  return url;
}

/** Starts it, and lets its agent block its worker. */
async function startBlocked(...args: readonly string[]): Promise<void> {
  await submit(await start(...args), userMessage('0'));
  await up.waitFor(/has blocked the worker for 3 s/, patience);
}

function partOf(name: RegExp): RunningProcess {
  const found = descendantsOf(up.pid).find(({ command }) => name.test(command) && !command.startsWith('/bin/sh'));
  if (!found) throw new Error(`no process is ${name}`);
  return found;
}

const workerProcess = /worker\/src\/main\.ts/;

/** Resolves with the time that its processes needed to end. */
async function untilAllAreGone(end: () => Promise<void> | void, withinMs: number): Promise<void> {
  const all = [{ pid: up.pid }, ...descendantsOf(up.pid)];
  expect(all.length).toBeGreaterThan(6);
  await end();
  await until(() => !all.some(({ pid }) => isAlive(pid)), { what: 'all its processes are gone', timeoutMs: withinMs });
}

describe('of switchyard up', () => {
  it.each([[], ['--watch']])(
    'nothing is left after Ctrl-C, although an agent blocks its worker %j',
    async (...args) => {
      await startBlocked(...args);
      await untilAllAreGone(() => up.kill('SIGINT'), DRAIN_MS + 5_000);
      expect(await up.exited).toBe(0);
    },
  );

  it.each([[], ['--watch']])('nothing is left at once after a second Ctrl-C %j', async (...args) => {
    await startBlocked(...args);
    await untilAllAreGone(async () => {
      up.kill('SIGINT');
      await up.waitFor(/stopping \(Ctrl-C again to stop at once\)/);
      // npm sends each signal twice: one that follows at once is the same.
      const again = setInterval(() => up.kill('SIGINT'), 100);
      await up.exited.finally(() => clearInterval(again));
    }, 3_000);
  });

  it('nothing is left after SIGTERM, although a worker is suspended', async () => {
    await start();
    process.kill(partOf(workerProcess).pid, 'SIGSTOP');
    await untilAllAreGone(() => up.kill('SIGTERM'), DRAIN_MS + 5_000);
  });

  it.each([[], ['--watch']])(
    'nothing is left after SIGKILL, although an agent blocks its worker %j',
    async (...args) => {
      await startBlocked(...args);
      await untilAllAreGone(() => up.kill('SIGKILL'), 10_000);
    },
  );

  it('each part that is killed is started again, and none is left in the end', async () => {
    await start();
    for (const [part, pattern] of [
      ['worker', workerProcess],
      ['gateway', /gateway\/src\/main\.ts/],
      ['redis', /redis-server|valkey-server/],
    ] as const) {
      const { pid } = partOf(pattern);
      process.kill(pid, 'SIGKILL');
      await up.waitFor(new RegExp(`the ${part} ended unexpectedly \\(signal 9\\)`));
      await until(() => partOf(pattern).pid !== pid, { what: `the ${part} runs again`, timeoutMs: patience });
    }
    await untilAllAreGone(() => up.kill('SIGINT'), DRAIN_MS + 5_000);
  });

  it('nothing is left when its terminal is closed', async () => {
    const command = `exec ${process.execPath} ${cli} up ./agents/loops.ts`;
    const terminal = await spawnGuarded('script', ['-qfec', command, '/dev/null'], {
      cwd: folder,
      env: { ...process.env, ...env() },
      takesInput: true,
    });
    let output = '';
    terminal.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await until(() => output.includes('Ctrl-C stops everything'), { what: 'it is ready', timeoutMs: patience });
    const all = descendantsOf(terminal.pid);
    expect(all.length).toBeGreaterThan(6);
    process.kill(terminal.pid, 'SIGKILL');
    const isOver = () => !all.some(({ pid }) => isAlive(pid));
    await until(isOver, { what: 'all its processes are gone', timeoutMs: DRAIN_MS + 5_000 });
  });
});
