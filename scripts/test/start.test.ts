import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descendantsOf, isAlive } from '../../tests/support/descendants.ts';
import { type Program, startProgram } from '../../tests/support/process.ts';
import { until } from '../../tests/support/until.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

// Three processes start in each test, on cores that other tests use too.
describe('npm start', { timeout: 60_000 }, () => {
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

  it.runIf(hasCurl)('prints commands that work as they are printed', async () => {
    const started = await start();
    await addressOf(started);
    const [send = '', get = '', stream = ''] = commandsIn(started.output());

    const { task, answers } = await run(`${send}\n${get}`, ([first = '', second = '']) => ({
      task: JSON.parse(first).task,
      answers: JSON.parse(second),
    }));
    expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(answers.id).toBe(task.id);

    const events = await run(stream, (lines) => lines.filter((line) => line.startsWith('data:')));
    expect(events[0]).toContain('"task"');
    expect(events.at(-1)).toMatch(/TASK_STATE_(?:INPUT_REQUIRED|COMPLETED)/);
  });

  it('stops everything within 5 seconds, leaves nothing behind, and goes on with the same tasks', async () => {
    const first = await start();
    const taskId = await sendMessage(await addressOf(first));
    const children = descendantsOf(first.pid);
    for (const name of ['redis', 'gateway', 'worker']) {
      expect(children).toContainEqual(expect.objectContaining({ command: expect.stringContaining(name) }));
    }

    const askedAt = Date.now();
    first.kill('SIGINT');
    expect(await first.exited).toBe(0);
    expect(Date.now() - askedAt).toBeLessThan(5_000);
    await until(() => !children.some(({ pid }) => isAlive(pid)), { what: 'all its processes are gone' });

    const url = await addressOf(await start());
    await until(async () => (await fetch(`${url}/tasks/${taskId}`)).ok, { what: 'the task is still there' });
  });

  it('lets everybody end in peace at a Ctrl-C that comes twice: from the terminal, and from npm', async () => {
    const started = await start();
    await addressOf(started);
    started.kill('SIGINT');
    await delay(2); // two at once would be one
    started.kill('SIGINT');
    expect(await started.exited).toBe(0);
    for (const name of ['gateway', 'worker']) expect(started.output()).toMatch(new RegExp(`${name} .*stopped`));
  });

  it('starts a worker again that died', async () => {
    const started = await start({ LOG_LEVEL: 'info' });
    await addressOf(started);
    const first = workerOf(started);
    process.kill(first, 'SIGKILL');
    await started.waitFor(/the worker ended unexpectedly \(signal 9\): starting it again/);
    await until(() => workerOf(started) !== first, { what: 'another worker runs' });
  });

  it('says that the port is taken, and how to choose another', async () => {
    const url = await addressOf(await start());
    const second = await startProgram({
      file: 'scripts/start.ts',
      env: { PORT: new URL(url).port, DATA_DIR: join(folder, 'other') },
    });
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(/port \d+ is taken. Choose another one: PORT=\d+ npm start/);
  });
});

/** The worker itself, not the shell that guards it. */
function workerOf({ pid }: Program): number {
  const worker = descendantsOf(pid).findLast(({ command }) => /^\S*node\S* apps\/worker\//.test(command));
  if (!worker) throw new Error('no worker runs');
  return worker.pid;
}

/** The printed shell commands: each begins at the margin and ends at an empty line. */
function commandsIn(output: string): string[] {
  return output.split('\n\n').filter((block) => /^(?:TASK=|curl )/.test(block));
}

async function run<T>(command: string, read: (lines: string[]) => T): Promise<T> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { timeout: 10_000 });
  return read(stdout.split('\n').filter((line) => line !== ''));
}

async function sendMessage(url: string): Promise<string> {
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'I want a pizza' }] };
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  return task.id;
}
