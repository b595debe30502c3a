import { describe, expect, it } from 'vitest';
import { processesWith } from '../../../tests/support/descendants.ts';
import { startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { Bench, outputOf } from './bench.ts';

let started = 0;

/** Keeps running, with children that ignore SIGTERM. */
function stubborn() {
  // In a sandbox processes have other ids: they are found by how long they sleep.
  const [first, second] = [0, 1].map((child) => `sleep 30${child}.${process.pid}${++started}`);
  const command = `trap '' TERM; ${first} & sh -c '${second} & wait' & echo up; wait`;
  const running = () => [first, second].map((line = '') => processesWith(line).some((it) => it.command === line));
  return { command, running, isGone: () => until(() => !running().includes(true), gone) };
}

const gone = { what: 'the processes are gone', timeoutMs: 12_000 };

/** Counts its starts, prints what it does, and ends when the test lets it. */
const patient =
  'echo start >> starts; echo first; sleep 0.3; echo begun; while [ ! -e go ]; do sleep 0.1; done; echo ended; echo 1 > made';

const says = (text: string) => (port: Parameters<typeof outputOf>[0]) =>
  until(() => outputOf(port).includes(text), { what: `the program says ${text}` });

describe.each(['off', 'auto'] as const)('a program, sandbox %s,', (sandbox) => {
  it('ends with its whole process group when the task is canceled', async () => {
    await using bench = await Bench.open();
    const { command, running, isGone } = stubborn();
    const { port, result } = bench.begin(command, { sandbox });
    await says('up')(port);
    expect(running()).toEqual([true, true]);
    port.interrupt('canceled');
    await expect(result).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'canceled' } });
    await isGone();
  });

  it('may end in its own way: SIGTERM comes first', async () => {
    await using bench = await Bench.open();
    const { port, result } = bench.begin(`trap 'echo bye > last; exit' TERM; echo up; while :; do sleep 0.1; done`, {
      sandbox,
    });
    await says('up')(port);
    port.interrupt('canceled');
    await result;
    expect(await bench.read(port, 'last')).toBe('bye\n');
  });

  it('takes with it what it left running', async () => {
    await using bench = await Bench.open();
    const { command, isGone } = stubborn();
    await bench.run(command.replace(/wait$/, 'exit'), { sandbox });
    await isGone();
  });

  it('has a time limit', async () => {
    await using bench = await Bench.open();
    const { command, isGone } = stubborn();
    const { said, state } = await bench.run(command, { timeoutMs: 1_000, sandbox });
    expect([state, said]).toEqual(['TASK_STATE_FAILED', 'The program did not finish within 1 s and was stopped.']);
    await isGone();
  });
});

describe('when its worker is restarted, a program', () => {
  it('goes on, and the next attempt takes it over where it is', async () => {
    await using bench = await Bench.open();
    const { port, result } = bench.begin(patient);
    await says('begun')(port);
    port.interrupt('shutdown');
    await expect(result).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'shutdown' } });
    await bench.write(port, 'go');
    const { state, output, artifacts } = await bench.again(port, 'exit 1');
    expect([state, output]).toEqual(['TASK_STATE_COMPLETED', 'ended\n']);
    expect(artifacts.map(({ name }) => name)).toEqual(['go', 'made', 'starts']);
    expect(await bench.read(port, 'starts')).toBe('start\n');
  });

  it('may have ended before the next attempt, which takes the result', async () => {
    await using bench = await Bench.open();
    const { port, result } = bench.begin(`echo start >> starts; echo begun; sleep 0.5; echo ended`);
    await says('begun')(port);
    port.interrupt('shutdown');
    await result;
    const { state, output } = await bench.again(port, 'exit 1');
    expect([state, output]).toEqual(['TASK_STATE_COMPLETED', 'ended\n']);
    expect(await bench.read(port, 'starts')).toBe('start\n');
  });

  it('is not started again when the worker was killed', async () => {
    await using bench = await Bench.open();
    const file = 'packages/executor-command/test/fixtures/worker.ts';
    const worker = await startProgram({ file, args: [bench.root, 'task-1', patient] });
    const message = { messageId: 'message-of-task-1', role: 'ROLE_USER' as const, parts: [{ text: 'Work' }] };
    const task = { id: 'task-1', contextId: 'context', status: { state: 'TASK_STATE_SUBMITTED' as const } };
    const starts = () => bench.read({ input: { task } }, 'starts');
    await until(starts, { what: 'the program has begun', timeoutMs: 15_000 });
    await worker.stop(0);
    const { port, result } = bench.begin('exit 1', {}, { message, task, attempt: 2 });
    await says('begun')(port);
    await bench.write({ input: { task } }, 'go');
    await result;
    expect(port.current.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await starts()).toBe('start\n');
  }, 30_000);

  it('ends when no attempt takes it over in time, and is started again by one that comes too late', async () => {
    await using bench = await Bench.open();
    const { command, running, isGone } = stubborn();
    const { port, result } = bench.begin(`echo start >> starts; ${command}`, { orphanTimeoutMs: 1 });
    await says('up')(port);
    port.interrupt('shutdown');
    await result;
    expect(running()).toEqual([true, true]);
    await isGone();
    const { state } = await bench.again(port, 'echo start >> starts');
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(await bench.read(port, 'starts')).toBe('start\nstart\n');
  }, 30_000);

  it('ends with it if it is to', async () => {
    await using bench = await Bench.open();
    const { command, isGone } = stubborn();
    const { port, result } = bench.begin(command, { orphanTimeoutMs: 0 });
    await says('up')(port);
    port.interrupt('shutdown');
    await result;
    await isGone();
  });
});
