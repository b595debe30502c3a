import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { createLog, logOutput } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-log-'));
const file = join(folder, 'log');
let fd: number;

beforeAll(() => {
  fd = openSync(file, 'a');
});

// The file stays open: the log writes every 100 ms, and closing it would fail a later write.
afterAll(() => rmSync(folder, { recursive: true }));

const written = (): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

it('writes info lines in batches, and a warning at once together with the lines before it', async () => {
  const log = createLog({ app: 'worker', level: 'info' }, await logOutput({ fd }));
  for (let n = 0; n < 10; n++) log.info(`line ${n}`);
  expect(written()).toEqual([]);
  await until(() => written().length === 10, { what: 'the lines are written', timeoutMs: 2_000 });

  // The fastest of five: a machine under load may delay some of them.
  const tookMs: number[] = [];
  for (let n = 1; n <= 5; n++) {
    log.info('before the warning');
    const warnedAt = performance.now();
    log.warn('a warning');
    await until(() => written().length === 10 + 2 * n, { what: 'the warning is written', everyMs: 1 });
    tookMs.push(performance.now() - warnedAt);
  }
  expect(Math.min(...tookMs)).toBeLessThan(50);
  expect(written().map((line) => JSON.parse(line).msg)).toEqual([
    ...Array.from({ length: 10 }, (_, n) => `line ${n}`),
    ...Array.from({ length: 5 }, () => ['before the warning', 'a warning']).flat(),
  ]);
});
