import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../../../tests/support/descendants.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { spawnGuarded } from '../src/processes/guard.ts';

const parent = 'packages/local/test/fixtures/parent.ts';
const stubborn = fileURLToPath(new URL('fixtures/stubborn.ts', import.meta.url));

const pidIn = async (program: Program, pattern: RegExp): Promise<number> => Number((await program.waitFor(pattern))[1]);

describe('a guarded child', () => {
  it('reports its own process id and exit code', async () => {
    const child = await spawnGuarded('/bin/sh', ['-c', 'echo "$$"; exit 7']);
    const said = await child.stdout.toArray();
    expect(Number(said.join(''))).toBe(child.pid);
    expect(await child.exited).toBe(7);
  });

  it('ends on SIGTERM when it is stopped, and stopping it again is fine', async () => {
    const child = await spawnGuarded('/bin/sleep', ['60']);
    expect(await child.stop()).toBe(128 + 15);
    expect(await child.stop()).toBe(128 + 15);
    expect(child.isRunning()).toBe(false);
  });

  it('is killed when it does not end in time', async () => {
    const child = await spawnGuarded(process.execPath, [stubborn]);
    await until(() => child.stdout.read(), { what: 'it has its handler' });
    expect(await child.stop(100)).toBe(128 + 9);
    expect(isAlive(child.pid)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('does not outlive a parent that ends by %s', async (signal) => {
    const program = await startProgram({ file: parent });
    const pid = await pidIn(program, /child (\d+)/);
    expect(isAlive(pid)).toBe(true);
    program.kill(signal);
    await until(() => !isAlive(pid), { what: 'the child is gone' });
  });

  it('does not outlive its parent though it is frozen, does not listen, or has children of its own', async () => {
    const [frozen, deaf, young] = await Promise.all([
      startProgram({ file: parent }),
      startProgram({ file: parent, args: [process.execPath, stubborn] }),
      startProgram({
        file: parent,
        args: ['/bin/sh', '-c', 'trap "" TERM; sleep 60 & echo "grandchild $!"; exec sleep 60'],
      }),
    ]);
    const pids = await Promise.all([
      pidIn(frozen, /child (\d+)/),
      deaf.waitFor(/ready/).then(() => pidIn(deaf, /child (\d+)/)),
      pidIn(young, /grandchild (\d+)/),
    ]);
    process.kill(pids[0], 'SIGSTOP');
    for (const program of [frozen, deaf, young]) program.kill('SIGKILL');
    await until(() => !pids.some(isAlive), { what: 'they are gone', timeoutMs: 10_000 });
  });

  it('reports that the program does not exist', async () => {
    const child = await spawnGuarded('/nowhere/program', []);
    expect(await child.exited).toBe(127);
  });
});
