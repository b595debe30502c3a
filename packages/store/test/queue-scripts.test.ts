import { createRedisBackend, Queue, type RedisQueueBackend } from 'bullmq';
import { afterAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { Store } from '../src/index.ts';
import { accepted } from './support/drive.ts';
import { addWithBullMQ, asBullMQ, queueContents } from './support/queue-contents.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { killRun, longAgo, queueOf, recoverNow, runOf } from './support/runs.ts';

// If another version of BullMQ stores jobs in another way, these tests fail.

const redis = testRedis();
const backends: RedisQueueBackend[] = [];
afterAll(() => Promise.all(backends.map((backend) => backend.close(true))));

const LEASE_MS = 60_000;

/** A run of a job. */
interface Run {
  readonly id: string;
  readonly token: string;
}

/** The operations of a queue, by our scripts or by those of BullMQ. */
interface Side {
  take(): Promise<Run>;
  giveBack(job: Run, delayMs?: number): Promise<unknown>;
  finish(job: Run): Promise<unknown>;
  renew(job: Run): Promise<unknown>;
  /** The job's process dies: it waits again. */
  lose(job: Run): Promise<unknown>;
}

function ours(store: Store): Side {
  const queue = queueOf(store, redis, { processId: 'taker' });
  let number = 0;
  return {
    async take() {
      const { jobs } = await queue.take({ taker: 'taker', number: number++, count: 1, kinds: 'any' });
      if (!jobs[0]) throw new Error('no job waits');
      return jobs[0];
    },
    giveBack: ({ id, token }, delayMs) =>
      runOf(queue, id, token).end(delayMs === undefined ? 'requeue' : { retryAfterMs: delayMs }),
    finish: ({ id, token }) => runOf(queue, id, token).end('done'),
    async renew({ id, token }) {
      const job = runOf(queue, id, token);
      job.confirmed(longAgo);
      await job.confirm();
    },
    async lose({ token }) {
      // Without a check before, an ended lease proves nothing.
      await recoverNow(redis, queue.keys);
      await killRun(redis, queue.keys, token);
      await recoverNow(redis, queue.keys);
    },
  };
}

function theirs({ settings: { prefix } }: Store): Side {
  const options = {
    connection: redis,
    prefix: `${prefix}{s0}:q`,
    skipMetasUpdate: true,
    lockDuration: LEASE_MS,
    maxStalledCount: 100,
  };
  const queue = new Queue('echo', options);
  const backend = createRedisBackend('echo', { ...options, stalledInterval: 1 } as typeof options);
  backends.push(backend);
  let number = 0;
  return {
    async take() {
      const token = `taker:${number++}`;
      const [, id] = await backend.moveToActive(token);
      return { id, token };
    },
    giveBack: ({ id, token }, delayMs) =>
      delayMs === undefined
        ? backend.moveJobFromActiveToWait(id, token)
        : backend.moveToDelayed(id, Date.now(), delayMs, token, { skipAttempt: true }),
    async finish({ id, token }) {
      const job = await queue.getJob(id);
      if (job) await backend.moveToCompleted(job, 'done', true, token, false);
    },
    renew: ({ id, token }) => backend.extendLocks([id], [token], LEASE_MS),
    async lose({ id }) {
      const recover = async (): Promise<void> => {
        await redis.del(backend.toKey('stalled-check'));
        await backend.moveStalledJobsToWait();
      };
      // The first call only notes which jobs are active.
      await recover();
      await redis.del(`${backend.toKey(id)}:lock`);
      await recover();
    },
  };
}

type Operation = (side: Side, root: string) => Promise<unknown>;

/** The contents of a queue of three jobs after the operation, without times and without the private keys of a side. */
async function contentsAfter(operation: Operation, sideOf: (store: Store) => Side): Promise<unknown> {
  const store = await testStore();
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await accepted(store, alice)).taskId);
  // The sides number waiting jobs in different ways.
  if (sideOf === theirs) {
    await redis.del(...(await redis.keys(`${root}*`)));
    for (const id of ids) await addWithBullMQ(redis, root, `${id}.1`);
  }
  await operation(sideOf(store), root);
  const { delayed, marker, ...rest } = asBullMQ(await queueContents(redis, root));
  // Which jobs run: BullMQ's list, locks and check are per queue, our leases per shard (docs/adr/0135).
  const privateKeys = /^(?:active|stalled|stalled-check|.*:lock)$/;
  const common = Object.fromEntries(Object.entries(rest).filter(([key]) => !privateKeys.test(key)));
  const named = ids.reduce(
    (text, id, n) => text.replaceAll(id, `task ${n}`),
    JSON.stringify({ ...common, ...members({ delayed, marker }) }),
  );
  return JSON.parse(named);
}

/** The members of lists that are scored by time, with the time from now in units of ten seconds. */
function members(scored: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(scored).map(([key, list]) => {
    if (!Array.isArray(list)) return [key, list];
    return [key, list.map((text, i) => (i % 2 === 0 ? text : inTenSeconds(Number(text))))];
  });
  return Object.fromEntries(entries);
}

const inTenSeconds = (score: number): number =>
  score === 0 ? 0 : Math.round(((score > 1e14 ? score / 4096 : score) - Date.now()) / 10_000);

const operations: Record<string, Operation> = {
  'is taken': (side) => side.take(),
  'is taken after another one': async (side) => [await side.take(), await side.take()],
  'is taken as the last one': async (side) => [await side.take(), await side.take(), await side.take()],
  'is finished': async (side) => side.finish(await side.take()),
  'belongs to another run, and is not finished': async (side) => {
    const job = await side.take();
    await side.finish({ ...job, token: 'another' }).catch(() => undefined);
  },
  'is handed back': async (side) => side.giveBack(await side.take()),
  'is handed back, and taken again': async (side) => {
    await side.giveBack(await side.take());
    await side.take();
  },
  'is delayed': async (side) => side.giveBack(await side.take(), 60_000),
  'is due after a delay, behind the others': async (side) => {
    await side.giveBack(await side.take(), 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await side.take();
  },
  'is renewed': async (side) => side.renew(await side.take()),
  'is lost by a crashed process': async (side) => {
    const job = await side.take();
    await side.take();
    await side.lose(job);
  },
  'is lost and taken again': async (side) => {
    await side.lose(await side.take());
    await side.take();
  },
};

/** A known difference: only BullMQ keeps a marker when no job waits. */
const DIFFERENCES: Readonly<Record<string, object>> = {
  'is taken as the last one': { marker: ['0', 0] },
};

describe('the queue has the same contents as with BullMQ when a job', () => {
  test.each(Object.keys(operations))('%s', async (name) => {
    const operation = operations[name] as Operation;
    const [own, expected] = [await contentsAfter(operation, ours), await contentsAfter(operation, theirs)];
    expect({ ...(own as object), ...DIFFERENCES[name] }).toEqual(expected);
  });
});

test('a wake-up is passed on only while a job waits or is due', async () => {
  const store = await testStore();
  const queue = queueOf(store, redis);
  const isPassedOn = async (): Promise<boolean> => {
    await redis.del(`${queue.root}marker`);
    await queue.wakeAnother();
    return (await redis.exists(`${queue.root}marker`)) === 1;
  };
  const { take, giveBack, finish } = ours(store);
  expect(await isPassedOn()).toBe(false);
  await accepted(store, alice);
  expect(await isPassedOn()).toBe(true);
  const job = await take();
  expect(await isPassedOn()).toBe(false);
  await giveBack(job, 1);
  await until(isPassedOn, { what: 'the job is due' });
  await finish(await take());
  expect(await isPassedOn()).toBe(false);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'a delay of %d ms is refused, and the run still has its job',
  async (delayMs) => {
    const store = await testStore();
    await accepted(store, alice);
    const { take, giveBack, finish } = ours(store);
    const root = `${store.settings.prefix}{s0}:q:echo:`;
    const job = await take();
    const before = await queueContents(redis, root);
    await expect(giveBack(job, delayMs)).rejects.toThrow(/outcome/);
    expect(await queueContents(redis, root)).toEqual(before);
    await finish(job);
    expect(await redis.exists(root + job.id)).toBe(0);
  },
);
