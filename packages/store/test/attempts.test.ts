import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { type OpenTurn, TurnFenced } from '../src/index.ts';
import { accepted, begun, spent, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

// The fields of a task's record for each attempt: l<epoch> its begin, e<epoch> its end, f<epoch> the time of the first
// write with its fence that came too late.

const redis = testRedis();
const store = await testStore({ maxAttempts: 20 });
const { prefix } = store.settings;

async function attemptFields(taskId: string): Promise<Record<string, string>> {
  const record = await redis.hgetall(`${prefix}{s0}:t:${taskId}`);
  const fields = Object.entries(record).filter(([name]) => /^[lef]\d+$/.test(name));
  return Object.fromEntries(fields.map(([name, text]) => [name, text.replace(/^\d{13}\b/, 'ms')]));
}
const question = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true } as const;
const errorOf = (write: Promise<unknown>): Promise<unknown> => write.catch((error: unknown) => error);
const beginAs = (taskId: string, process: string, started: number, job = 1): Promise<OpenTurn> =>
  begun(store, taskId, { started, job, token: `${process}:echo/0:1` });

test('the record has begin, wait, process and end of an attempt, but no end if the task ended with it', async () => {
  const { taskId } = await accepted(store, alice);
  await (await beginAs(taskId, 'one', 1)).handBack(false);
  await (await beginAs(taskId, 'one', 2)).handBack(true);
  await (await beginAs(taskId, 'two', 3)).publish(question);
  await accepted(store, alice, userMessage('more', { taskId }));
  await (await beginAs(taskId, 'two', 1, 2)).publish(spent('no'));
  expect(await attemptFields(taskId)).toEqual({
    l1: 'ms 1 0 one',
    e1: 'ms r',
    l2: 'ms 1 0 one',
    e2: 'ms q',
    l3: 'ms 2 0 two',
    e3: 'ms s',
    l4: 'ms 1 0 two',
  });
});

test('an attempt that was taken over has no end; its first late write is recorded', async () => {
  const { taskId } = await accepted(store, alice);
  const late = () => redis.hget(`${prefix}{s0}:t:${taskId}`, 'f1');
  const chunk = { artifactId: 'a', parts: [{ text: 'x' }] };
  const dead = await beginAs(taskId, 'dead', 1);
  const publishChunk = () => dead.publish({ kind: 'artifact', artifact: chunk, append: true, lastChunk: false });
  await publishChunk();
  await dead.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
  await beginAs(taskId, 'alive', 2);
  expect(await attemptFields(taskId)).toEqual({ l1: 'ms 1 0 dead', l2: 'ms 2 0 alive t' });
  await publishChunk();
  await until(async () => (await late()) !== null, { what: 'the late chunk is recorded' });
  const first = await late();
  expect(await errorOf(dead.publish(question))).toBeInstanceOf(TurnFenced);
  expect(Number(first)).toBeGreaterThan(1e12);
  expect(await late()).toBe(first);
  expect(await attemptFields(taskId)).toEqual({ l1: 'ms 1 0 dead', f1: 'ms', l2: 'ms 2 0 alive t' });
});

test('a write after the end of the task is recorded as too late', async () => {
  const { taskId } = await accepted(store, alice);
  const dead = await beginAs(taskId, 'dead', 1);
  const alive = await beginAs(taskId, 'alive', 2);
  await alive.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  expect(await errorOf(dead.publish(question))).toBeInstanceOf(TurnFenced);
  expect(await attemptFields(taskId)).toEqual({ l1: 'ms 1 0 dead', f1: 'ms', l2: 'ms 2 0 alive t' });
});

test('the last sixteen attempts are kept', async () => {
  const { taskId } = await accepted(store, alice);
  for (let started = 1; started <= 19; started++) await beginAs(taskId, `p${started}`, started);
  const names = Object.keys(await attemptFields(taskId));
  expect(names.sort()).toEqual(Array.from({ length: 16 }, (_, n) => `l${n + 4}`).sort());
});

test('a job has the time that it waited since it was added or given back', async () => {
  const own = await testStore();
  const { taskId } = await accepted(own, alice);
  const job = `${own.settings.prefix}{s0}:q:echo:${taskId}.1`;
  await redis.hset(job, 'timestamp', String(Number(await redis.hget(job, 'timestamp')) - 5_000));
  const waits: (number | undefined)[] = [];
  const consumer = own.turns.consume({
    queue: 'echo',
    concurrency: 1,
    run: async ({ waitedMs }) => (waits.push(waitedMs) === 1 ? 'requeue' : 'done'),
    onError: () => undefined,
  });
  await consumer.start();
  await until(() => waits.length === 2, { what: 'the job has run twice' });
  await consumer.stop();
  expect(waits[0]).toBeGreaterThanOrEqual(5_000);
  expect(waits[0]).toBeLessThan(10_000);
  expect(waits[1]).toBeLessThan(1_000);
  const [process] = own.processId.split(':');
  expect(await redis.hget(`${own.settings.prefix}{s0}:t:${taskId}`, 'l1')).toMatch(
    new RegExp(`^\\d{13} 1 ${waits[0]} ${process}$`),
  );
});

test('a turn knows the lost attempts directly before it', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await beginAs(taskId, 'one', 1);
  expect(await store.turns.lostBefore(first)).toEqual([]);
  await first.handBack(true);
  await beginAs(taskId, 'two', 2);
  await beginAs(taskId, 'three', 3);
  const last = await beginAs(taskId, 'four', 4);
  const lost = { begunAt: expect.any(Date), waitedMs: 0 };
  expect(await store.turns.lostBefore(last)).toEqual([
    { epoch: 2, attempt: 2, worker: 'two', ...lost },
    { epoch: 3, attempt: 3, worker: 'three', ...lost },
  ]);
});
