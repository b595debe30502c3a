import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@switchyard/local';
import { type Part, scheduleUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { startProgram } from '../support/process.ts';
import { growthOf } from '../support/process-usage.ts';
import { get, getTask, post, send, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { createUpload, sendPiece, storedBytes } from '../support/tus.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
const MiB = 1024 ** 2;
const PIECE = 8 * MiB;
const large = 512 * MiB;
/** What a process may need more while the large file passes it. */
const MOST_MEMORY = 150 * MiB;

let folder: string;
let port: number;
let stack: Stack;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wire-files-'));
  port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = {
    FILES_URL: `file://${folder}`,
    PUBLIC_URL: url,
    FILES_SWEEP_MS: '200',
    MIN_CRON_INTERVAL_MS: '1000',
    FILES_UNUSED_MS: '60000',
    MAX_FILE_BYTES: String(2_048 * MiB),
  };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['filer'], gateways: 0, workers: 0, env });
  await Promise.all([stack.addGateway(port), stack.addWorker()]);
  await stack.untilReady();
});

afterAll(() => stack.stop());

const zerosHash = (bytes: number): string => {
  const hash = createHash('sha256');
  for (let left = bytes; left > 0; left -= MiB) hash.update(Buffer.alloc(Math.min(left, MiB)));
  return hash.digest('hex');
};

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= MiB) yield Buffer.alloc(Math.min(left, MiB));
}

const asking = (text: string, ...parts: Part[]) => ({ ...userMessage(''), parts: [{ text }, ...parts] });

function partOf({ artifacts = [] }: Task): Part & { url: string } {
  const part = artifacts[0]?.parts[0];
  if (part?.url === undefined) throw new Error('the task has no file');
  return { ...part, url: part.url };
}

/** The bytes of a URL, and their SHA-256, without keeping them. */
async function readUrl(from: string): Promise<{ bytes: number; sha256: string }> {
  const { body } = await fetch(from);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** In pieces, because each must arrive within BODY_TIMEOUT_MS. */
async function uploaded(bytes: number): Promise<Part & { url: string }> {
  const upload = (await createUpload(url, { sizeBytes: bytes, filename: 'zeros.bin' })).headers.get('location') ?? '';
  for (let offset = 0; offset < bytes; offset += PIECE) {
    const piece = Buffer.alloc(Math.min(PIECE, bytes - offset));
    expect((await sendPiece(upload, { offset, piece })).status).toBe(204);
  }
  return { url: upload, filename: 'zeros.bin', mediaType: 'video/mp4' };
}

async function untilCompleted(id: string): Promise<Task> {
  await until(async () => (await getTask(url, id)).status.state === 'TASK_STATE_COMPLETED', {
    what: `task ${id} is completed`,
    timeoutMs: 60_000,
  });
  return getTask(url, id);
}

/** All names below the folder of files. */
const everything = (): Promise<string[]> => readdir(folder, { recursive: true });

it('a large file passes gateway, agent and gateway again, and no process has it in memory', async () => {
  const pids = [...stack.gateways, ...stack.workers].map(({ pid }) => pid);
  const grown = await growthOf(pids, async () => {
    const part = await uploaded(large);
    const task = await send(url, asking(String(large), part));
    const { artifacts, status } = await untilCompleted(task.id);
    expect(status.message?.parts).toEqual([{ text: zerosHash(large) }]);
    expect(artifacts?.[0]?.parts).toEqual([
      { url: expect.stringContaining('/files/'), filename: 'zeros.bin', mediaType: 'application/octet-stream' },
    ]);
    const written = partOf(await getTask(url, task.id));
    expect(await readUrl(written.url)).toEqual({ bytes: large, sha256: zerosHash(large) });
    for (const each of [part, written]) await fetch(each.url, { method: 'DELETE' });
  });
  process.stdout.write(`grown by ${grown.map((bytes) => Math.round(bytes / MiB)).join(', ')} MiB\n`);
  for (const bytes of grown) expect(bytes).toBeLessThan(MOST_MEMORY);
});

it('an upload survives the death of its gateway', async () => {
  const size = 24 * MiB;
  const upload = (await createUpload(url, { sizeBytes: size })).headers.get('location') ?? '';
  const [gateway] = stack.gateways;
  const half = (async function* () {
    yield* zeros(9 * MiB);
    await new Promise(() => undefined);
  })();
  const broken = sendPiece(upload, { offset: 0, piece: half }).catch(() => undefined);
  // The last bytes may wait in its memory for others, to be written with them.
  const stored = 9 * MiB - 64 * 1_024;
  await until(() => hasContent(stored), { what: 'what was sent is stored' });
  gateway?.kill('SIGKILL');
  await Promise.all([gateway?.exited, broken]);
  await stack.addGateway(port);
  await stack.untilReady();
  const offset = await storedBytes(upload);
  expect(offset).toBeGreaterThanOrEqual(stored);
  expect(offset).toBeLessThanOrEqual(9 * MiB);
  expect((await fetch(upload)).status).toBe(404);
  const rest = await sendPiece(upload, { offset, piece: Buffer.concat(await Array.fromAsync(zeros(size - offset))) });
  expect(rest.status).toBe(204);
  expect(await readUrl(upload)).toEqual({ bytes: size, sha256: zerosHash(size) });
});

it('a file is written again after the death of its worker, and the half one is never seen', async () => {
  const size = 4 * MiB;
  const [worker] = stack.workers;
  const { id } = await submit(url, asking(`${size} slowly`));
  await until(() => hasContent(1 * MiB), { what: 'the worker writes the file' });
  worker?.kill('SIGKILL');
  await Promise.all([worker?.exited, stack.addWorker()]);
  const { url: written } = partOf(await untilCompleted(id));
  expect(await readUrl(written)).toEqual({ bytes: size, sha256: zerosHash(size) });
  const halves = (await everything()).filter((path) => /\.new-[^/]*$/.test(path));
  expect(halves).toHaveLength(1);
  await removeOld(halves[0] ?? '');
});

it('a full disk refuses files with a reason, and nothing else', async () => {
  const [gateway] = stack.gateways;
  const [worker] = stack.workers;
  const limit = async (bytes: string) => {
    for (const program of [gateway, worker])
      await promisify(execFile)('prlimit', ['--pid', String(program?.pid), `--fsize=${bytes}:`]);
  };
  await limit(String(MiB));
  try {
    const body = Buffer.alloc(2 * MiB);
    const response = await fetch(`${url}/files`, { method: 'POST', body });
    const answer = JSON.stringify(await response.json());
    expect([response.status, answer]).toEqual([503, expect.stringContaining('STORE_FULL')]);
    const { id } = await submit(url, asking(String(2 * MiB)));
    await worker?.waitFor(/The store of files \(FILES_URL\) is full/);
    expect((await send(url, asking('none'))).status.state).toBe('TASK_STATE_COMPLETED');
    await limit('unlimited');
    expect(partOf(await untilCompleted(id)).url).toContain('/files/');
    expect((await everything()).filter((path) => /\.new-[^/]*$/.test(path))).toEqual([]);
  } finally {
    await limit('unlimited');
  }
});

it('a file goes with the last task that refers to it', async () => {
  const part = await uploaded(10);
  const first = await send(url, asking('copy', part));
  const { url: copy } = partOf(first);
  const second = await send(url, asking('none', { url: copy }));
  const remove = async ({ id }: Task) => (await fetch(`${url}/tasks/${id}`, { method: 'DELETE' })).status;
  const isThere = async (of: string) => (await fetch(of, { method: 'HEAD' })).status === 200;
  expect(await remove(first)).toBe(204);
  await ageMarks();
  await until(async () => !(await isThere(part.url)), { what: 'the file of the first task is removed' });
  expect(await isThere(copy)).toBe(true);
  expect(await remove(second)).toBe(204);
  await ageMarks();
  await until(async () => !(await isThere(copy)), { what: 'the copy is removed, too' });
  const [worker] = stack.workers;
  await worker?.waitFor(/files-removed/);
});

it('a file is there for each task of a schedule, though their worker is killed, and goes with the last one', async () => {
  const part = await uploaded(10);
  const contextId = randomUUID();
  const metadata = { [scheduleUri]: { cron: '* * * * * *', times: 4 } };
  const message = { ...asking('none', part), contextId, metadata };
  const { status } = await post(`${url}/message:send`, { message }, { 'a2a-extensions': scheduleUri });
  expect(status).toBe(200);
  const tasks = async () =>
    (await get<{ tasks: Task[] }>(`${url}/tasks?contextId=${contextId}&pageSize=100`)).body.tasks;
  const scheduleOf = (task: Task) => Object(task.metadata?.[scheduleUri]);
  const [followed, removed] = [new Set<string>(), new Set<string>()];
  const removeEnded = async (): Promise<number> => {
    const all = await tasks();
    for (const task of all) followed.add(scheduleOf(task).previousTaskId);
    for (const task of all) {
      const { id, status } = task;
      // A schedule ends with a task that is removed before the next one is made.
      const hasNext = followed.has(id) || scheduleOf(task).times === 1;
      if (!hasNext || status.state !== 'TASK_STATE_COMPLETED') continue;
      expect(status.message?.parts).toEqual([{ text: zerosHash(10) }]);
      expect((await fetch(`${url}/tasks/${id}`, { method: 'DELETE' })).status).toBe(204);
      removed.add(id);
    }
    // Only theirs: that of the next task may be there before the task.
    await ageMarks((mark) => removed.has(mark.slice(-36)));
    return removed.size;
  };
  await until(async () => (await removeEnded()) >= 2, { what: 'two tasks have read the file', timeoutMs: 60_000 });
  const [worker] = stack.workers;
  worker?.kill('SIGKILL');
  await Promise.all([worker?.exited, stack.addWorker()]);
  await until(async () => (await removeEnded()) === 4, { what: 'all have read it', timeoutMs: 60_000 });
  await until(async () => (await fetch(part.url, { method: 'HEAD' })).status === 404, { what: 'the file is removed' });
});

it('the command line uploads a large file, and downloads the agent’s', async () => {
  const place = await mkdtemp(join(tmpdir(), 'cli-files-'));
  const path = join(place, 'big.bin');
  await writeFile(path, Buffer.alloc(20 * MiB, 'switchyard'));
  const cli = async (...args: string[]) => {
    const program = await startProgram({ file: 'apps/cli/src/main.ts', args: [...args, '-a', url, '-o', 'json'] });
    return { code: await program.exited, output: program.output() };
  };
  const sent = await cli('send', 'copy', '--file', path);
  expect([sent.code, sent.output]).toEqual([0, expect.stringContaining('TASK_STATE_COMPLETED')]);
  const [document = ''] = /\{.*\}/s.exec(sent.output) ?? [];
  const { task } = JSON.parse(document) as { task: Task };
  const part = partOf(task);
  // What an earlier run of the command has left.
  const [, id = ''] = /\/files\/(.{8})/.exec(part.url) ?? [];
  await writeFile(join(place, `copy.bin.${id}.part`), Buffer.alloc(3 * MiB, 'switchyard'));
  const saved = await cli('task', 'download', task.id, '--dir', place);
  expect([saved.code, saved.output]).toEqual([0, expect.stringContaining('copy.bin')]);
  expect(await hashOfFile(join(place, 'copy.bin'))).toBe(await hashOfFile(path));
  expect((await readdir(place)).sort()).toEqual(['big.bin', 'copy.bin']);
});

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** Whether some file in the making has at least these bytes. */
async function hasContent(bytes: number): Promise<boolean> {
  const contents = (await everything()).filter((path) => /\.new-[^/]*\/content$/.test(path));
  const sizes = await Promise.all(contents.map(async (path) => (await stat(join(folder, path))).size));
  return sizes.some((size) => size >= bytes);
}

/** Makes marks so old that a sweep looks for their tasks. */
async function ageMarks(which: (mark: string) => boolean = () => true): Promise<void> {
  const past = new Date(Date.now() - 3_600_000);
  const marks = (await everything()).filter((path) => /\/task-[^/]*$/.test(path) && which(path));
  await Promise.all(marks.map((path) => utimes(join(folder, path), past, past)));
}

async function removeOld(half: string): Promise<void> {
  const past = new Date(Date.now() - 3_600_000);
  await utimes(join(folder, half, 'content'), past, past);
  await until(async () => !(await everything()).includes(half), { what: 'a sweep removes the half file' });
}
