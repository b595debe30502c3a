import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { Desk } from './support/desk.ts';

test('a worker that was frozen beyond its lease has no effects outside any more', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-frozen-'));
  const file = join(folder, 'effects');
  const written = async (): Promise<string[]> =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const redisUrl = inject('redisUrl');
  const prefix = uniquePrefix();
  const desk = await Desk.open({ redisUrl, prefix, agent: 'effects' });
  const workers: Program[] = [];
  async function startWorker(): Promise<Program> {
    const args = ['--agents', 'tests/support/agents/effects.ts'];
    const env = { REDIS_URL: redisUrl, KEY_PREFIX: prefix, DRAIN_MS: '0', LOG_LEVEL: 'debug' };
    const worker = await startProgram({ file: 'apps/worker/src/main.ts', args, env });
    workers.push(worker);
    await worker.waitFor(/"msg":"started"/, 20_000);
    return worker;
  }
  try {
    const frozen = await startWorker();
    const answer = desk.ask(file);
    await until(async () => (await written()).length === 1, { what: 'the turn has begun', timeoutMs: 10_000 });
    frozen.kill('SIGSTOP');
    const other = await startWorker();
    await until(async () => (await written()).length === 2, { what: 'it has begun elsewhere', timeoutMs: 20_000 });
    await writeFile(`${file}.go`, '');
    expect(await answer).toBe('done');
    frozen.kill('SIGCONT');
    await frozen.waitFor(/"reason":"lock-lost".*"msg":"turn-ended"/, 10_000);
    expect(await written()).toEqual([`begun ${frozen.pid}`, `begun ${other.pid}`, `effect ${other.pid}`]);
  } finally {
    for (const worker of workers) worker.kill('SIGCONT');
    await Promise.all(workers.map((worker) => worker.stop()));
    await desk.close();
    await rm(folder, { recursive: true, force: true });
  }
});
