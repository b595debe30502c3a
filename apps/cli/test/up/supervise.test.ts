import { spawnGuarded } from '@switchyard/local';
import { describe, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { type SupervisedProcess, type Supervision, supervise } from '../../src/up/supervise.ts';

describe('a supervised process', () => {
  function keep(
    command: string,
    settings: Partial<SupervisedProcess> = {},
  ): { part: Supervision; pids: number[]; said: string[]; before: unknown[] } {
    const pids: number[] = [];
    const said: string[] = [];
    const before: unknown[] = [];
    const start: SupervisedProcess['start'] = async (killed) => {
      before.push(killed);
      const child = await spawnGuarded('/bin/sh', ['-c', command]);
      pids.push(child.pid);
      return child;
    };
    const part = supervise({ name: 'worker', start, say: (text) => said.push(text), firstPauseMs: 5, ...settings });
    return { part, pids, said, before };
  }

  it('is restarted when it dies, and stays stopped after stop', async () => {
    const { part, pids, said, before } = keep('exec sleep 60');
    await part.started;
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await until(() => pids.length === 2, { what: 'it runs again' });
    expect(said).toEqual(['the worker ended unexpectedly (signal 9): starting it again in 5 ms']);
    expect(before).toEqual([undefined, { pid: pids[0], signal: 9 }]);
    await part.stop(1_000);
    await part.ended;
    expect(pids).toHaveLength(2);
  });

  it('that aborts, as Node does when its heap is full, says so and names the setting', async () => {
    const { part, said } = keep('kill -ABRT $$');
    await until(() => said.length > 0, { what: 'it says so' });
    expect(said[0]).toMatch(
      /signal 6: most likely out of memory; NODE_OPTIONS=--max-old-space-size=<MiB> .*: starting/,
    );
    await part.stop(1_000).catch(() => undefined);
  });

  it('is given up with the reason when it keeps dying', async () => {
    const { part, pids } = keep('exit 3');
    await expect(part.ended).rejects.toThrow('the worker does not stay up (exit code 3): giving up');
    expect(pids).toHaveLength(3);
  });

  it('is never given up if its agents may end it', async () => {
    const { part, pids } = keep('exit 3', { maxQuickDeaths: Number.POSITIVE_INFINITY });
    await until(() => pids.length > 5, { what: 'it was started more than five times' });
    await part.stop(1_000);
  });

  it('is given up at once when its first run exits with a settings error', async () => {
    const { part, pids, said } = keep('exit 1');
    await expect(part.ended).rejects.toThrow('the worker cannot start: see above');
    expect([pids.length, said.length]).toEqual([1, 0]);
  });

  it('is restarted without limit when each run lasts long enough', async () => {
    const { part, pids } = keep('exit 3', { stableAfterMs: 0 });
    await until(() => pids.length > 5, { what: 'it was started more than five times' });
    await part.stop(1_000);
  });

  it('can be stopped during the pause before a restart', async () => {
    const { part, pids, said } = keep('exit 3', { firstPauseMs: 60_000 });
    await until(() => said.length === 1, { what: 'it waits to be started again' });
    await part.stop(1_000);
    expect(pids).toHaveLength(1);
  });

  it('rejects at once when the program cannot be started', async () => {
    const start = (): Promise<never> => Promise.reject(new Error('no such program'));
    const part = supervise({ name: 'redis', start, say: () => undefined });
    await expect(part.started).rejects.toThrow('no such program');
    await part.stop(1_000);
  });
});
