import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { logFilesIn } from '../src/data-folder/log-files.ts';
import { logLines } from '../src/operator/log-lines.ts';
import { LogFile } from '../src/up/log-file.ts';
import { loggedTerminal, logLine } from '../src/up/logged-terminal.ts';
import type { Terminal } from '../src/up/terminal.ts';
import { json, run } from './support/run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-logs-'));
});
afterEach(() => rm(folder, { recursive: true }));

const quiet: Terminal = { say: () => undefined, print: () => undefined, listenTo: () => undefined };
const refuse = (why: string): never => {
  throw new Error(why);
};
const filesIn = () => logFilesIn(join(folder, '.switchyard'));
const logged = (level: number, msg: string, more: object = {}) => ({
  level,
  time: Date.parse('2026-01-31T12:00:00Z'),
  app: 'worker',
  pid: 7,
  msg,
  ...more,
});

/** The output of processes that ran in the folder. */
async function keepLog(): Promise<void> {
  const secret = 'planted-in-the-environment';
  const terminal = loggedTerminal(quiet, { dataFolder: join(folder, '.switchyard'), environment: { API_KEY: secret } });
  const child = { stdout: new PassThrough(), stderr: new PassThrough() };
  terminal.listenTo('worker 2', child);
  const lines = [
    logged(30, 'the order is taken', { task: 'a-task', agent: 'pizza', event: 'agent-log' }),
    logged(40, 'the oven\u001b[31m is cold', { task: 'a-task' }),
    logged(50, 'another one', { task: 'b-task' }),
  ];
  child.stdout.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\nmy key is ${secret}\n`);
  child.stderr.write(`{"app":"mine","level":30,"time":1,"password":"${secret}"}\n`);
  terminal.say('switchyard', 'the worker ended unexpectedly');
  await until(async () => (await readFile(filesIn().current, 'utf8').catch(() => '')).split('\n').length > 6, {
    what: 'the lines are written',
  });
}

test('what up prints is kept for its owner only, redacted, and printed again for people and programs', async () => {
  await keepLog();
  expect((await stat(filesIn().current)).mode & 0o777).toBe(0o600);
  expect(await readFile(filesIn().current, 'utf8')).not.toContain('planted');
  const all = await run(['logs'], { folder });
  expect([all.code, all.err]).toEqual([0, '']);
  expect(all.out).toMatch(/^worker 2 {3}│ \[\d\d:\d\d:\d\d\] pizza: the order is taken \(task a-task\)$/m);
  expect(all.out).toContain(' is cold');
  expect(all.out).not.toContain('\u001b');
  expect(all.out).toMatch(/switchyard │ .*the worker ended unexpectedly/);
  const { document } = await json(['logs', '--task', 'a-task'], { folder });
  expect(document.lines).toMatchObject([{ process: 'worker 2', msg: 'the order is taken' }, { level: 40 }]);
  const severe = await json(['logs', '--level', 'error'], { folder });
  expect(severe.document.lines).toMatchObject([{ msg: 'another one' }]);
});

test('a log that cannot be read is named, with the reason', async () => {
  const data = join(folder, 'odd');
  await mkdir(join(data, 'log.jsonl'), { recursive: true });
  const { code, err } = await run(['logs'], { folder, env: { DATA_DIR: data } });
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/NO_LOG\nReason: The log \S+log\.jsonl cannot be read: EISDIR/),
  ]);
});

test('a folder where up has not run: where logs are; an unknown level: which there are', async () => {
  const missing = await run(['logs'], { folder });
  expect([missing.code, missing.err]).toEqual([
    1,
    expect.stringMatching(/NO_LOG[\s\S]*standard output[\s\S]*logs\.md/),
  ]);
  const wrong = await run(['logs', '--level', 'loud'], { folder });
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('trace, debug, info')]);
});

test('the files stay bounded, also if another process writes to them, and a reader that follows them misses no line', async () => {
  const files = filesIn();
  const [one, two] = [new LogFile(files, refuse, 400), new LogFile(files, refuse, 400)];
  one.write('0');
  const stopped = new AbortController();
  const read: string[] = [];
  const following = (async () => {
    for await (const line of logLines(files, { isFollowed: true, signal: stopped.signal })) read.push(line);
  })();
  for (let i = 1; i <= 60; i++) {
    // A file is replaced while its successor becomes full: a reader must have come to it before.
    if (i % 20 === 0) await until(() => read.length === i, { what: 'the lines before are read' });
    (i % 2 ? one : two).write(`${i}${' '.repeat(10)}`);
  }
  await until(() => read.length === 61, { what: 'all lines are read' });
  stopped.abort();
  await following;
  expect(read.map(Number)).toEqual(Array.from({ length: 61 }, (_, i) => i));
  for (const file of [files.current, files.previous])
    expect((await stat(file).catch(() => ({ size: 0 }))).size).toBeLessThan(440);
});

test('a link in the place of the log is neither written nor read', async () => {
  const target = join(folder, 'target');
  await writeFile(target, 'mine\n');
  await symlink(target, join(folder, 'log.jsonl'));
  const refused: string[] = [];
  const log = new LogFile(logFilesIn(folder), (why) => refused.push(why));
  log.write('one');
  log.write('two');
  expect(refused).toHaveLength(1);
  expect(await readFile(target, 'utf8')).toBe('mine\n');
  expect((await run(['logs'], { env: { DATA_DIR: folder } })).code).toBe(1);
});

test('a line that is too long is cut', () => {
  const line = logLine(JSON.stringify(logged(30, 'x'.repeat(70_000))), { source: 'worker', level: 30, secrets: [] });
  expect(line.length).toBeLessThan(2_000);
  expect(JSON.parse(line)).toMatchObject({ process: 'worker', level: 30 });
});
