import { describe, expect, it } from 'vitest';
import { processesWith } from '../../../tests/support/descendants.ts';
import { startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { Bench, outputOf } from './bench.ts';

let started = 0;

/** A command that keeps running with two children, all of which ignore SIGTERM. */
function unstoppable() {
  // In a sandbox processes have other ids: find them by their unique sleep time.
  const [first, second] = [0, 1].map((child) => `sleep 30${child}.${process.pid}${++started}`);
  const command = `trap '' TERM; ${first} & sh -c '${second} & wait' & echo up; wait`;
  const running = () => [first, second].map((line = '') => processesWith(line).some((it) => it.command === line));
  return {
    command,
    running,
    runs: () => until(() => !running().includes(false), { what: 'both children run' }),
    isGone: () => until(() => !running().includes(true), gone),
  };
}

const gone = { what: 'the processes are gone' };

/** A command that records its starts, prints its progress, and ends when the file "go" exists. */
const waiting = [
  'echo start >> starts; echo first; sleep 0.3; echo begun',
  'while [ ! -e go ]; do sleep 0.1; done; echo ended; echo 1 > made',
].join('; ');

const outputs = (text: string) => (port: Parameters<typeof outputOf>[0]) =>
  until(() => outputOf(port).includes(text), { what: `the program prints ${text}` });

describe.each(['off', 'auto'] as const)('a program with sandbox "%s"', (sandbox) => {
  it('is killed with its whole process group when the task is canceled', async () => {
    await using bench = await Bench.open();
    const { command, runs, isGone } = unstoppable();
    const { port, result } = bench.begin(command, { sandbox });
    await outputs('up')(port);
    await runs();
    port.interrupt('canceled');
    await expect(result).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'canceled' } });
    await isGone();
  });

  it('receives SIGTERM first, and can end by itself', async () => {
    await using bench = await Bench.open();
    const { port, result } = bench.begin(`trap 'echo bye > last; exit' TERM; echo up; while :; do sleep 0.1; done`, {
      sandbox,
    });
    await outputs('up')(port);
    port.interrupt('canceled');
    await result;
    expect(await bench.read(port, 'last')).toBe('bye\n');
  });

  it('leaves no process running when it ends', async () => {
    await using bench = await Bench.open();
    const { command, isGone } = unstoppable();
    await bench.run(command.replace(/wait$/, 'exit'), { sandbox });
    await isGone();
  });

  it('is killed after timeoutMs, and its task fails', async () => {
    await using bench = await Bench.open();
    const { command, isGone } = unstoppable();
    const { statusText, state } = await bench.run(command, { timeoutMs: 1_000, sandbox });
    expect([state, statusText]).toEqual([
      'TASK_STATE_FAILED',
      'The program did not finish within 1 s and was stopped.',
    ]);
    await isGone();
  });
});

describe('when its worker restarts, a program', () => {
  it('keeps running, and the next attempt continues with it', async () => {
    await using bench = await Bench.open();
    const { port, result } = bench.begin(waiting);
    await outputs('begun')(port);
    port.interrupt('shutdown');
    await expect(result).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'shutdown' } });
    await bench.write(port, 'go');
    const { state, output, artifacts } = await bench.again(port, 'exit 1');
    expect([state, output]).toEqual(['TASK_STATE_COMPLETED', 'ended\n']);
    expect(artifacts.map(({ name }) => name)).toEqual(['go', 'made', 'starts']);
    expect(await bench.read(port, 'starts')).toBe('start\n');
  });

  it('can end before the next attempt, which takes its result', async () => {
    await using bench = await Bench.open();
    const { port, result } = bench.begin(`echo start >> starts; echo begun; sleep 0.5; echo ended`);
    await outputs('begun')(port);
    port.interrupt('shutdown');
    await result;
    const { state, output } = await bench.again(port, 'exit 1');
    expect([state, output]).toEqual(['TASK_STATE_COMPLETED', 'ended\n']);
    expect(await bench.read(port, 'starts')).toBe('start\n');
  });

  it('is not started again if the worker was killed', async () => {
    await using bench = await Bench.open();
    const file = 'packages/executor-command/test/fixtures/worker.ts';
    const worker = await startProgram({ file, args: [bench.root, 'task-1', waiting] });
    const message = { messageId: 'message-of-task-1', role: 'ROLE_USER' as const, parts: [{ text: 'Work' }] };
    const task = { id: 'task-1', contextId: 'context', status: { state: 'TASK_STATE_SUBMITTED' as const } };
    const starts = () => bench.read({ input: { task } }, 'starts');
    await until(starts, { what: 'the program has begun', timeoutMs: 15_000 });
    await worker.stop(0);
    const { port, result } = bench.begin('exit 1', {}, { message, task, attempt: 2 });
    await outputs('begun')(port);
    await bench.write({ input: { task } }, 'go');
    await result;
    expect(port.current.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await starts()).toBe('start\n');
  });

  it('is killed if no attempt follows within orphanTimeoutMs; a later attempt starts it again', async () => {
    await using bench = await Bench.open();
    const { command, running, runs, isGone } = unstoppable();
    const { port, result } = bench.begin(`echo start >> starts; ${command}`, { orphanTimeoutMs: 1 });
    await outputs('up')(port);
    await runs();
    port.interrupt('shutdown');
    await result;
    expect(running()).toEqual([true, true]);
    await isGone();
    const { state } = await bench.again(port, 'echo start >> starts');
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(await bench.read(port, 'starts')).toBe('start\nstart\n');
  });

  it('is killed at once with orphanTimeoutMs 0', async () => {
    await using bench = await Bench.open();
    const { command, isGone } = unstoppable();
    const { port, result } = bench.begin(command, { orphanTimeoutMs: 0 });
    await outputs('up')(port);
    port.interrupt('shutdown');
    await result;
    await isGone();
  });
});
