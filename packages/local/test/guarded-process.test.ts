import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { descendantsOf, isAlive } from '../../../tests/support/descendants.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { spawnGuarded } from '../src/processes/guarded-process.ts';

const parent = 'packages/local/test/fixtures/parent.ts';
const ignoresSigterm = fileURLToPath(new URL('fixtures/ignores-sigterm.ts', import.meta.url));

const pidIn = async (program: Program, pattern: RegExp): Promise<number> => Number((await program.waitFor(pattern))[1]);

describe('a guarded child', () => {
  it('reports its own process id and exit code', async () => {
    const child = await spawnGuarded('/bin/sh', ['-c', 'echo "$$"; exit 7']);
    const output = await child.stdout.toArray();
    expect(Number(output.join(''))).toBe(child.pid);
    expect(await child.exited).toBe(7);
  });

  it('ends by SIGTERM when it is stopped; a second stop returns the same exit code', async () => {
    const child = await spawnGuarded('/bin/sleep', ['60']);
    expect(await child.stop()).toBe(128 + 15);
    expect(await child.stop()).toBe(128 + 15);
    expect(child.isRunning()).toBe(false);
  });

  it('is killed when it does not end in time', async () => {
    const child = await spawnGuarded(process.execPath, [ignoresSigterm]);
    await until(() => child.stdout.read(), { what: 'the child has its handler' });
    expect(await child.stop(100)).toBe(128 + 9);
    expect(isAlive(child.pid)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('ends when its parent ends by %s', async (signal) => {
    const program = await startProgram({ file: parent });
    const pid = await pidIn(program, /child (\d+)/);
    expect(isAlive(pid)).toBe(true);
    program.kill(signal);
    await until(() => !isAlive(pid), { what: 'the child is gone' });
  });

  it('ends when its parent ends, although it is frozen, ignores SIGTERM, or has its own children', async () => {
    const [frozen, ignoring, withChildren] = await Promise.all([
      startProgram({ file: parent }),
      startProgram({ file: parent, args: [process.execPath, ignoresSigterm] }),
      startProgram({
        file: parent,
        args: ['/bin/sh', '-c', 'trap "" TERM; sleep 60 & echo "grandchild $!"; exec sleep 60'],
      }),
    ]);
    const pids = await Promise.all([
      pidIn(frozen, /child (\d+)/),
      ignoring.waitFor(/ready/).then(() => pidIn(ignoring, /child (\d+)/)),
      pidIn(withChildren, /grandchild (\d+)/),
    ]);
    process.kill(pids[0], 'SIGSTOP');
    for (const program of [frozen, ignoring, withChildren]) program.kill('SIGKILL');
    await until(() => !pids.some(isAlive), { what: 'all children are gone' });
  });

  it('is killed with its own children when only its guard is killed', async () => {
    const child = await spawnGuarded('/bin/sh', ['-c', 'trap "" TERM; sleep 60 & echo "$!"; wait']);
    const grandchild = Number(await until(() => child.stdout.read(), { what: 'the grandchild runs' }));
    const guard = descendantsOf(process.pid).find(({ pid }) => pid === child.pid)?.parent ?? 0;
    process.kill(guard, 'SIGKILL');
    expect(await child.exited).toBe(128 + 9);
    await until(() => ![child.pid, grandchild].some(isAlive), { what: 'both are gone' });
  });

  it('is killed although its guard is frozen', async () => {
    const child = await spawnGuarded('/bin/sleep', ['60']);
    const guard = descendantsOf(process.pid).find(({ pid }) => pid === child.pid)?.parent ?? 0;
    process.kill(guard, 'SIGSTOP');
    expect(await child.stop(0)).toBe(128 + 9);
    await until(() => ![child.pid, guard].some(isAlive), { what: 'both are gone' });
  });

  it('takes its own children with it when it is killed', async () => {
    const child = await spawnGuarded('/bin/sh', ['-c', 'sleep 60 & echo "$!"; wait']);
    const grandchild = Number(await until(() => child.stdout.read(), { what: 'the grandchild runs' }));
    expect(await child.stop(0)).toBe(128 + 9);
    await until(() => !isAlive(grandchild), { what: 'the grandchild is gone' });
  });

  it('has exit code 127 if its program does not exist', async () => {
    const child = await spawnGuarded('/nowhere/program', []);
    expect(await child.exited).toBe(127);
  });
});
