import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { type JobOutcome, Store, type TurnJob } from '../src/index.ts';
import { accepted, beginTurn } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

// A task whose record cannot be read is not tried for ever.

const redis = testRedis();
const keyOf = (store: Store, taskId: string): string => `${store.settings.prefix}{s0}:t:${taskId}`;

async function beginAs(store: Store, taskId: string, started: number): Promise<unknown> {
  const turn = await beginTurn(store, { taskId, started, token: `p${started}:echo/0:1` });
  return typeof turn === 'string' ? turn : 'turn';
}

test.each([
  ['a message that is no JSON', { initial_entry: '"m"\nno JSON' }],
  ['a message that is missing', { initial_entry: '' }],
  ['an artifact that is missing', { artifacts: '1' }],
  ['a history that is no JSON', { h: ',\tno JSON' }],
  ['a time that is none', { time: 'no time' }],
  ['a context that is missing', { context: '' }],
])('a task with %s fails after some starts, with the reason, and leaves the queue', async (_, damage) => {
  const store = await testStore({ maxAttempts: 100 });
  const { taskId } = await accepted(store, alice);
  await redis.hset(keyOf(store, taskId), damage);
  for (const started of [1, 2, 3]) await expect(beginAs(store, taskId, started)).rejects.toThrow();
  expect(await beginAs(store, taskId, 4)).toBe('exhausted');
  expect(await redis.hget(keyOf(store, taskId), 'state')).toBe('F');
  expect(await redis.hget(keyOf(store, taskId), 'h')).toContain('What is stored of this task is damaged');
  expect(await redis.zcard(`${store.settings.prefix}{s0}:outbox`)).toBe(0);
  expect(await redis.zscore(`${store.settings.prefix}{s0}:dead`, taskId)).not.toBeNull();
  expect(await beginAs(store, taskId, 5)).toBe('stale');
});

test.each(['time', 'owner', 'context'])('a task without its %s is taken with others, which begin', async (field) => {
  const store = await testStore();
  const damaged = await accepted(store, alice);
  const sound = await accepted(store, alice);
  await redis.hdel(keyOf(store, damaged.taskId), field);
  const begun = new Map<string, unknown>();
  const run = async (job: TurnJob): Promise<JobOutcome> => {
    const outcome = await job.begin({ onCancel: () => undefined, onFenced: () => undefined }).then(
      (turn) => (typeof turn === 'string' ? turn : 'turn'),
      (error: unknown) => error,
    );
    begun.set(job.taskId, outcome);
    return 'done';
  };
  const errors: Error[] = [];
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 2, run, onError: (error) => errors.push(error) });
  await consumer.start();
  await until(() => begun.size === 2 || errors.length > 0, { what: 'both jobs run' });
  await consumer.stop();
  expect(errors).toEqual([]);
  expect(begun.get(sound.taskId)).toBe('turn');
  expect(begun.get(damaged.taskId)).toMatchObject({ message: expect.stringContaining('the record has the owner') });
  // That was no attempt.
  expect(await redis.hget(keyOf(store, damaged.taskId), 'epoch')).toBe(null);
});

test('a job whose run rejects is tried again later and later, up to a minute, unless Redis was away', async () => {
  const store = await testStore();
  const { taskId } = await accepted(store, alice);
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  const retryMs = async (starts: number, error: Error): Promise<number> => {
    await redis.hset(`${root}${taskId}.1`, 'ats', starts - 1);
    let runs = 0;
    const run = async (): Promise<never> => {
      runs++;
      throw error;
    };
    const consumer = store.turns.consume({ queue: 'echo', concurrency: 1, run, onError: () => undefined });
    await consumer.start();
    const delay = () => redis.hget(`${root}${taskId}.1`, 'delay');
    await until(async () => runs === 1 && Number(await delay()) > 0, { what: 'the job is delayed' });
    await consumer.stop();
    const ms = Number(await delay());
    await redis.zadd(`${root}delayed`, 0, `${taskId}.1`);
    return ms;
  };
  const damage = new Error('WRONGTYPE Operation against a key holding the wrong kind of value');
  expect(await retryMs(1, damage)).toBe(1_000);
  expect(await retryMs(3, damage)).toBe(4_000);
  expect(await retryMs(50, damage)).toBe(60_000);
  expect(await retryMs(50, new Error('LOADING Redis is loading the dataset in memory'))).toBe(1_000);
});

test.each([
  ['of another type', null],
  ['with a state that is none', { state: 'q' }],
  ['with a time that is none', { time: 'no time' }],
])('a task with a record %s fails no read of others, and lists leave it out and tell operators', async (_, damage) => {
  const { settings } = await testStore();
  const errors: string[] = [];
  const store = new Store(settings, ({ message }) => errors.push(message));
  onTestFinished(() => store.stop());
  await store.start();
  const [sound, damaged] = await Promise.all([accepted(store, alice), accepted(store, alice)]);
  const both = [sound, damaged];
  const versions = await Promise.all(both.map(async ({ taskId }) => (await store.tasks.read(alice, taskId))?.version));
  if (damage) await redis.hset(keyOf(store, damaged.taskId), damage);
  else await redis.set(keyOf(store, damaged.taskId), 'no record');
  for (const known of [[], versions]) {
    const reads = both.map(({ taskId }, i) => store.tasks.read(alice, taskId, { version: known[i] }));
    const read = await Promise.allSettled(reads);
    expect(read).toMatchObject([
      { status: 'fulfilled', value: { state: 'TASK_STATE_SUBMITTED' } },
      { status: 'rejected', reason: { message: expect.stringContaining(`Task ${damaged.taskId} cannot be read: `) } },
    ]);
  }
  const { tasks, totalSize } = await store.tasks.list(alice, { pageSize: 10 });
  expect(tasks.map((task) => JSON.parse(task).id)).toEqual([sound.taskId]);
  expect(totalSize).toBe(2);
  expect(errors).toEqual([expect.stringContaining(`Task ${damaged.taskId} cannot be read: `)]);
});
