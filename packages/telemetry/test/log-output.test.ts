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
  const log = createLog({ app: 'worker', level: 'info' }, await logOutput({ fd }, 'auto'));
  for (let n = 0; n < 10; n++) log.info(`line ${n}`);
  expect(written()).toEqual([]);
  await until(() => written().length === 10, { what: 'the lines are written' });

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

it("is text in a terminal, or by a setting: a failed turn begins with the author's line", async () => {
  const log = createLog({ app: 'worker', level: 'info' }, await logOutput({ fd }, 'text'));
  const before = written().length;
  log.info({ agents: ['hello'] }, 'started');
  log.warn(
    { event: 'turn-ended', agent: 'hello', taskId: 't-1', attempt: 1, err: new Error('no dough') },
    'turn ended',
  );
  const lines = written().slice(before);
  expect(lines[0]).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: started \{"agents":\["hello"\]\}$/);
  expect(lines[1]).toMatch(/hello: the turn failed \(task t-1, attempt 1\)$/);
  expect(lines[2]).toMatch(/^ {2}packages\/telemetry\/test\/log-output\.test\.ts:\d+:\d+ {2}/);
  expect(lines[3]).toBe('  no dough');
  await logOutput({ fd, isTTY: true }, 'json').then((output) =>
    createLog({ app: 'worker', level: 'info' }, output).warn('JSON'),
  );
  await until(() => written().length > before + 4, { what: 'it is written' });
  expect(JSON.parse(written().at(-1) ?? '')).toMatchObject({ msg: 'JSON' });
});
