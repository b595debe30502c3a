import { describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { Store, TurnJob } from '../src/index.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testLedger, testRedis, testStore } from './support/redis.ts';

const store = await testStore({ sweepAfterMs: 50 });
const redis = testRedis();
const queueKeys = (): Promise<string[]> => redis.keys(`${store.settings.prefix}{s0}:q:echo:*`);
const state = async (taskId: string): Promise<string | undefined> => (await store.tasks.read(alice, taskId))?.state;

async function sweepUntilAdded(_: () => Promise<unknown>, of: Store): Promise<void> {
  await until(async () => (await of.queue.waiting('kitchen')) === 2 || !(await of.outbox.sweep()), {
    what: 'the job was added again',
  });
}

describe('the sweeper', () => {
  test('adds a lost job of a task again', async () => {
    const { taskId } = await accepted(store, alice);
    await redis.del(...(await queueKeys()));
    expect(await store.queue.waiting('echo')).toBe(0);
    await until(async () => (await store.outbox.sweep()).added === 1, { what: 'a sweep that adds' });
    expect(await store.queue.waiting('echo')).toBe(1);
    await store.tasks.cancel(alice, taskId);
  });

  test('does not add a second job for a task whose job waits, and does not count it as added', async () => {
    await redis.del(...(await queueKeys()));
    const { taskId } = await accepted(store, alice);
    for (let i = 0; i < 5; i++)
      await until(
        async () => {
          const { added, known } = await store.outbox.sweep();
          expect(added).toBe(0);
          return known === 1;
        },
        { what: 'a sweep that finds the task' },
      );
    expect(await store.queue.waiting('echo')).toBe(1);
    await store.tasks.cancel(alice, taskId);
  });

  test('sweeps a waiting task less and less often, and operators see since when it waits', async () => {
    const own = await testStore({ sweepAfterMs: 100 });
    const { taskId } = await accepted(own, alice);
    const key = `${own.settings.prefix}{s0}:t:${taskId}`;
    const acceptedMs = Number.parseInt((await redis.hget(key, 'time')) ?? '', 36);
    let [fromMs, toMs] = [0, 0];
    const sweeps = async () => {
      fromMs = Date.now();
      await own.outbox.sweep();
      toMs = Date.now();
      return Number(await redis.hget(key, 'sweeps'));
    };
    await until(async () => (await sweeps()) === 3, { what: 'the third sweep' });
    const [stuck] = (await own.ops.listStuck({ pageSize: 1 })).items;
    expect(stuck).toMatchObject({ taskId, sweeps: 3 });
    // The third sweep is 700 ms after the message, and a busy machine makes it late.
    const silentSince = Date.parse(stuck?.silentSince ?? '');
    expect(silentSince).toBeGreaterThanOrEqual(Math.max(acceptedMs, fromMs - 700));
    expect(silentSince).toBeLessThanOrEqual(toMs - 700);
  });

  test('adds a job again that exists but is in none of the lists of the queue', async () => {
    const { taskId } = await accepted(store, alice);
    await redis.del(`${store.settings.prefix}{s0}:q:echo:prioritized`);
    await until(async () => (await store.outbox.sweep()) && (await store.queue.waiting('echo')) === 1, {
      what: 'the job waits',
    });
    await store.tasks.cancel(alice, taskId);
  });

  test('ends a canceled task whose worker has crashed', async () => {
    const { taskId } = await accepted(store, alice);
    await begun(store, taskId);
    await store.tasks.cancel(alice, taskId);
    expect(await state(taskId)).toBe('TASK_STATE_SUBMITTED');
    await until(async () => (await store.outbox.sweep()).canceled === 1, { what: 'a sweep that cancels' });
    expect(await state(taskId)).toBe('TASK_STATE_CANCELED');
  });

  test.each([
    ['the sweeper', sweepUntilAdded],
    ['a retry of the call', async (call: () => Promise<unknown>) => void (await call())],
  ])('an awaited job stays awaited when %s adds it again: it runs before other jobs', async (_, addAgain) => {
    const own = await testStore({ sweepAfterMs: 50 });
    const host = await begun(own, (await accepted(own, alice)).taskId);
    const { contextId = '' } = host.start.task;
    const submission = { message: userMessage('cook', { contextId }) };
    const call = () => own.calls.place(host, { agent: 'kitchen', submission, isDetached: false });
    const placed = await call();
    await redis.del(...(await redis.keys(`${own.settings.prefix}{s0}:q:kitchen:*`)));
    await accepted(own, { ...alice, agent: 'kitchen' });
    await addAgain(call, own);
    const runs: TurnJob[] = [];
    const consumer = own.turns.consume({
      queue: 'kitchen',
      concurrency: 1,
      run: async (job) => {
        runs.push(job);
        return 'done';
      },
      onError: () => undefined,
    });
    await consumer.start();
    await until(() => runs.some(({ isAwaited }) => !isAwaited), { what: 'the other job runs, too' });
    await consumer.stop();
    expect(runs[0]?.isAwaited).toBe(true);
    expect(placed).toMatchObject({ taskId: runs[0]?.taskId });
  });

  test('does not touch a turn without events while its process is alive', async () => {
    const own = await testStore({ sweepAfterMs: 20, leaseMs: 300 });
    const { taskId } = await accepted(own, alice);
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const run = async (): Promise<'done'> => {
      runs++;
      await gate.promise;
      return 'done';
    };
    const consumer = own.turns.consume({ queue: 'echo', concurrency: 1, run, onError: () => undefined });
    await consumer.start();
    await until(() => runs === 1, { what: 'the turn runs' });
    const end = performance.now() + 900;
    await until(
      async () => {
        expect(await own.outbox.sweep()).toEqual({ added: 0, known: 0, canceled: 0 });
        return performance.now() > end;
      },
      { what: 'three leases have passed' },
    );
    expect(runs).toBe(1);
    gate.resolve();
    await consumer.stop();
    await own.tasks.cancel(alice, taskId);
  });

  /** A store with this number of waiting tasks that have a job, and behind them one that has lost its job. */
  async function crowded(waiting: number): Promise<{ sweeper: Store; root: string; isFound: () => Promise<boolean> }> {
    const busy = await testStore({ sweepAfterMs: 1 });
    const root = `${busy.settings.prefix}{s0}:`;
    const { taskId } = await accepted(busy, alice);
    await redis.del(`${root}q:echo:${taskId}.1`, `${root}q:echo:prioritized`);
    const fill = `for i = 1, ARGV[1] do
      local id = 'waiting' .. i
      redis.call('HSET', KEYS[1] .. 't:' .. id, 'state', 's', 'time', '0', 'owner', 'acme/alice/echo', 'job', 1,
        'inbox', 1, 'messages', 1)
      redis.call('HSET', KEYS[1] .. 'q:echo:' .. id .. '.1', 'name', 'turn')
      redis.call('ZADD', KEYS[1] .. 'outbox', 1, id)
    end`;
    await redis.eval(fill, 1, root, waiting);
    const sweeper = await testStore({ prefix: busy.settings.prefix, sweepAfterMs: 60_000 });
    return { sweeper, root, isFound: async () => (await redis.zcard(`${root}q:echo:prioritized`)) > 0 };
  }

  /** Of sweeps until the lost job is found: on a busy machine one may end before. */
  async function errorsUntil(isFound: () => Promise<boolean>, { outbox }: Store): Promise<unknown[]> {
    const errors: unknown[] = [];
    const sweepOnce = async (): Promise<boolean> => {
      await outbox.sweep().catch((error: unknown) => errors.push(error));
      return isFound();
    };
    await until(sweepOnce, { what: 'the lost job is found' });
    return errors;
  }

  // It counts visits instead of time: 100,000 entries take as many visits each.
  test('finds the one lost job among 4,000 in one round, in fewer than ten sweeps', async () => {
    const { sweeper, isFound } = await crowded(4_000);
    let [sweeps, visits, repairs] = [0, 0, 0];
    while (!(await isFound())) {
      const { added, known } = await sweeper.outbox.sweep();
      visits += added + known;
      repairs += added;
      sweeps++;
    }
    expect([visits, repairs]).toEqual([4_001, 1]);
    // With 200 entries each it would be 21.
    expect(sweeps).toBeLessThan(10);
  });

  test('checks a thousand tasks whose jobs wait in five scripts', async () => {
    const own = await testStore({ sweepAfterMs: 1 });
    await Promise.all(Array.from({ length: 1_000 }, () => accepted(own, alice)));
    const ledger = await testLedger();
    const sweeper = await testStore({ ...own.settings, redisUrl: ledger.url, sweepAfterMs: 60_000 });
    await sweeper.outbox.sweep([]);
    const { commands } = await ledger.during(async () => {
      expect(await sweeper.outbox.sweep()).toEqual({ added: 0, known: 1_000, canceled: 0 });
    });
    // A sixth one finds no more; the source of the script may have to be sent.
    expect(commands.length).toBeLessThanOrEqual(7);
    expect(await sweeper.outbox.sweep()).toEqual({ added: 0, known: 0, canceled: 0 });
  });

  test('sweeps the other tasks if a record is broken, and throws the error', async () => {
    const { sweeper, root, isFound } = await crowded(600);
    await redis.hdel(`${root}t:waiting1`, 'time');
    expect(await errorsUntil(isFound, sweeper)).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('user_script') }),
    );
  });

  test('sweeps the other tasks if the key of a task has another type, and throws the error', async () => {
    const { sweeper, root, isFound } = await crowded(600);
    await redis.del(`${root}t:waiting1`);
    await redis.set(`${root}t:waiting1`, 'no record');
    expect(await errorsUntil(isFound, sweeper)).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') }),
    );
  });

  test('sweeps the other tasks also behind more broken records than it visits in one script call', async () => {
    const { sweeper, root, isFound } = await crowded(600);
    for (let i = 1; i <= 200; i++) {
      await redis.hset(`${root}t:waiting${i}`, 'job', 'no number');
      await redis.zadd(`${root}outbox`, 0, `waiting${i}`);
    }
    expect(await errorsUntil(isFound, sweeper)).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('user_script') }),
    );
  });

  test('sweeps the other shards before it throws the error of a broken one', async () => {
    const own = await testStore({ shards: 2, sweepAfterMs: 1 });
    const outboxes = async (): Promise<string[]> => redis.keys(`${own.settings.prefix}*:outbox`);
    while ((await outboxes()).length < 2) await accepted(own, alice);
    const [broken = '', other = ''] = await outboxes();
    await redis.set(broken, 'no index');
    const jobs = `${other.slice(0, -'outbox'.length)}q:echo:*`;
    await redis.del(...(await redis.keys(jobs)));
    await expect(own.outbox.sweep()).rejects.toThrow('WRONGTYPE');
    expect(await redis.keys(jobs)).not.toEqual([]);
  });
});
