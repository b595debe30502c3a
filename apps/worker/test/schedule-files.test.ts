import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScheduledTasks } from '@switchyard/schedules';
import { type KeepFiles, principalKey, Store } from '@switchyard/store';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { WorkerFiles } from '../src/files/worker-files.ts';

// A file of a message that is repeated, with a look for files without a task at each point.

const scope = { agent: 'echo', principal: { tenant: 't', subject: 's', scopes: [] } };
const owner = principalKey(scope.principal);
const limits = { maxFileBytes: 1_000, maxBytesPerPrincipal: 10_000, unusedMs: 60_000, sweepEveryMs: 60_000 };

let folder: string;
let prefix: string;
let store: Store;
let worker: WorkerFiles;
let fileId: string;

const redis = new Redis(inject('redisUrl'));
afterAll(() => redis.quit());

const keep: KeepFiles = (...next) => worker.keep(...next);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schedule-files-'));
  prefix = uniquePrefix();
  store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
  await store.start();
  const addresses = { allowHosts: [], allowHttp: false };
  worker = new WorkerFiles({ files: { url: `file://${folder}`, ...limits }, addresses, emit: () => undefined });
  await worker.local?.start();
});

afterEach(async () => {
  await Promise.all([store.stop(), worker.stop()]);
  await rm(folder, { recursive: true });
});

/** A schedule whose message has a file, as a gateway accepts it. @returns its first task */
async function scheduled(times: number): Promise<string> {
  const content = (async function* () {
    yield Buffer.from('menu');
  })();
  fileId = (await worker.local?.write(owner, content, { facts: { mediaType: 'text/plain' } }))?.id ?? '';
  const parts = [{ url: `http://127.0.0.1/files/${fileId}` }];
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts };
  const reservedId = store.tasks.newTaskId(scope, { message });
  await keep(scope.principal, parts, reservedId);
  const schedule = { at: new Date().toISOString(), cron: '* * * * * *', times };
  const acceptance = await store.tasks.accept(scope, { message, schedule, reservedId });
  expect(acceptance).toMatchObject({ verdict: 'accepted', taskId: reservedId });
  return reservedId;
}

/** Begins the task that waits. @returns its id */
async function begun(keepFiles = keep): Promise<string> {
  return until(async () => (await new ScheduledTasks(store.inside).begin(undefined, keepFiles)).tasks[0]?.taskId, {
    what: 'a task begins',
  });
}

/** Its retention is over. */
async function remove(taskId: string): Promise<void> {
  await store.tasks.cancel(scope, taskId);
  expect(await store.tasks.delete(scope, taskId)).toBe('deleted');
}

/** Whether the file is there after a sweep for which all marks are old. */
async function isKept(): Promise<boolean> {
  const past = new Date(Date.now() - 3_600_000);
  for (const name of await readdir(folder, { recursive: true })) await utimes(join(folder, name), past, past);
  const existing = (ids: readonly string[]) => store.tasks.existing(ids);
  await worker.local?.sweep({ deployment: 'ours', number: 0, existing, unusedMs: 60_000, markMs: 60_000 });
  return (await worker.local?.find(owner, fileId)) !== undefined;
}

it('A file is kept until the last task of its schedule is gone', async () => {
  const first = await scheduled(3);
  expect(await isKept()).toBe(true);
  const ids = [first];
  for (let run = 0; run < 3; run++) {
    const id = await begun();
    ids.push(id);
    await remove(id);
    expect(await isKept()).toBe(run < 2);
  }
  expect(new Set(ids).size).toBe(3);
});

it('A file is kept though the worker dies before or after it has kept it for the next task', async () => {
  const first = await scheduled(2);
  const dies: readonly KeepFiles[] = [
    () => Promise.reject(new Error('the worker dies')),
    (...next) => keep(...next)?.then(() => Promise.reject(new Error('the worker dies'))),
  ];
  for (const dead of dies) {
    await until(async () => (await new ScheduledTasks(store.inside).begin(undefined, dead)).errors.length > 0, {
      what: 'it dies',
    });
    expect(await isKept()).toBe(true);
    // Instead of a minute, until the task is tried again.
    await redis.zadd(`${prefix}{s0}:outbox:later`, 'XX', 0, `${first} ${owner}/echo`);
  }
  await new ScheduledTasks(store.inside).begin(undefined, keep);
  await remove(first);
  expect(await isKept()).toBe(true);
  const last = await begun();
  expect(await isKept()).toBe(true);
  await remove(last);
  expect(await isKept()).toBe(false);
});

it('A schedule goes on without a file that its owner has deleted', async () => {
  await scheduled(2);
  await worker.local?.delete(owner, fileId);
  const first = await begun();
  expect(await begun()).not.toBe(first);
});
