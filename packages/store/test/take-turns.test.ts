import type { TurnEvent } from '@switchyard/protocol';
import { Queue } from 'bullmq';
import { describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { ShardKeys } from '../src/deployment/keys.ts';
import { Shards } from '../src/deployment/shards.ts';
import type { JobOutcome, OpenTurn, Store, TurnJob } from '../src/index.ts';
import { accepted, spent, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { holderKey, isRunning } from './support/runs.ts';
import { turnTaker } from './support/take-turns.ts';

const redis = testRedis();
const hooks = { onCancel: (): void => undefined, onFenced: (): void => undefined };
const status = (state: 'COMPLETED' | 'INPUT_REQUIRED' | 'AUTH_REQUIRED', settles = true): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles,
});
const shardOf = ({ settings: { prefix, shards } }: Store): ShardKeys => new Shards(prefix, shards).of('');
const rootOf = (store: Store): string => `${store.settings.prefix}{s0}:q:echo:`;

const idsOf = (jobs: readonly TurnJob[]): string[] => jobs.map(({ id }) => id);

type Run = (job: TurnJob) => Promise<JobOutcome>;

/** Runs an agent's jobs until the end of the test. */
function consume(store: Store, run: Run, more: { concurrency?: number } = {}): AsyncDisposable {
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 1, run, onError: () => undefined, ...more });
  const started = consumer.start();
  return {
    async [Symbol.asyncDispose]() {
      await started;
      await consumer.stop();
    },
  };
}

async function open(job: TurnJob): Promise<OpenTurn> {
  const turn = await job.begin(hooks);
  if (typeof turn === 'string') throw new Error(`no turn began: ${turn}`);
  return turn;
}

describe('a taken job', () => {
  test('has begun its turn in the same script call', async () => {
    const store = await testStore();
    const { taskId } = await accepted(store, alice);
    const seen: unknown[] = [];
    await using _consumer = consume(store, async (job) => {
      const { turn, epoch, token } = await redis.hgetall(`${store.settings.prefix}{s0}:t:${taskId}`);
      seen.push({ turn, epoch, isItsToken: token === job.token });
      const { start } = await open(job);
      seen.push({ epoch: start.epoch, attempt: start.attempt, parts: start.message.parts });
      return 'done';
    });
    await until(() => seen.length === 2, { what: 'the run' });
    expect(seen).toEqual([
      { turn: expect.stringMatching(/^1\.[\w-]{8}$/), epoch: '1', isItsToken: true },
      { epoch: 1, attempt: 1, parts: [{ text: 'hello' }] },
    ]);
  });

  test('that is given back spends no attempt', async () => {
    const store = await testStore();
    await accepted(store, alice);
    const attempts: number[] = [];
    let runs = 0;
    await using _consumer = consume(store, async (job) => {
      if (++runs < 4) {
        await job.handBack();
        return 'requeue';
      }
      attempts.push((await open(job)).start.attempt);
      return 'done';
    });
    await until(() => attempts.length === 1, { what: 'the fourth run' });
    expect(attempts).toEqual([1]);
  });

  test('has begun its turn also if the record of another job of the same take is damaged', async () => {
    const store = await testStore();
    const tasks = [await accepted(store, alice), await accepted(store, alice), await accepted(store, alice)];
    const [keyOf, broken] = [(id: string) => `${store.settings.prefix}{s0}:t:${id}`, tasks[1]?.taskId ?? ''];
    await redis.set(keyOf(broken), 'no hash');
    const jobs = await turnTaker(store, redis)('a', 3);
    expect(idsOf(jobs)).toEqual(tasks.map(({ taskId }) => `${taskId}.1`));
    const epochs = await Promise.all(tasks.map(({ taskId }) => redis.hget(keyOf(taskId), 'epoch').catch(() => 'none')));
    expect(epochs).toEqual(['1', 'none', '1']);
    for (const job of jobs.filter(({ taskId }) => taskId !== broken)) expect((await open(job)).start.attempt).toBe(1);
    await expect(jobs[1]?.begin(hooks)).rejects.toThrow('WRONGTYPE');
  });

  test('with an unreadable record spends no attempt', async () => {
    const store = await testStore();
    const { taskId } = await accepted(store, alice);
    const key = `${store.settings.prefix}{s0}:t:${taskId}`;
    await redis.hset(key, 'artifacts', '1'); // the artifact does not exist
    const take = turnTaker(store, redis);
    const before = await redis.hgetall(key);
    await take('a');
    expect(await redis.hgetall(key)).toEqual(before);
  });

  test('is taken once if the same take is sent twice', async () => {
    const store = await testStore();
    const [first, second] = [await accepted(store, alice), await accepted(store, alice)];
    const take = turnTaker(store, redis);
    for (const [taker, { taskId }] of [['a', first] as const, ['b', second] as const]) {
      const [job, again] = [await take(taker), await take(taker)].flat();
      expect([job?.id, again?.id]).toEqual([`${taskId}.1`, `${taskId}.1`]);
      expect((again && (await open(again)))?.start).toMatchObject({ epoch: 1, attempt: 1 });
    }
  });

  test('can be taken together with the next ones, in order, up to the requested number', async () => {
    const store = await testStore();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(`${(await accepted(store, alice)).taskId}.1`);
    const take = turnTaker(store, redis);
    const jobs = [...(await take('a', 3))];
    expect(idsOf(jobs)).toEqual(ids.slice(0, 3));
    expect(await redis.hvals(`${shardOf(store).running}:a`)).toEqual(ids.slice(0, 3).map((id) => rootOf(store) + id));
    jobs.push(...(await take('b', 3)));
    expect(idsOf(jobs)).toEqual(ids);
    expect(await take('c', 3)).toEqual([]);
    for (const [i, id] of ids.entries()) {
      const token = i < 3 ? `a:${i}` : `b:${i - 3}`;
      expect(await redis.hget(holderKey(shardOf(store), token), token)).toBe(rootOf(store) + id);
      const job = jobs[i];
      expect((job && (await open(job)))?.start).toMatchObject({ epoch: 1, attempt: 1 });
    }
  });

  test('is returned again by a repeated take, unless it has been run since', async () => {
    const store = await testStore();
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await accepted(store, alice)).taskId);
    const take = turnTaker(store, redis);
    const [, second] = await take('a', 3);
    await (second && (await open(second)))?.publish(status('COMPLETED'));
    expect(idsOf(await take('a', 3))).toEqual([`${ids[0]}.1`, `${ids[2]}.1`]);
    expect(idsOf(await take('b', 3))).toEqual([`${ids[3]}.1`]);
  });

  test('of an unknown task runs with the verdict "missing", and does not stop the next job', async () => {
    const store = await testStore();
    const bullmq = new Queue('echo', { connection: redis, prefix: `${store.settings.prefix}{s0}:q` });
    await bullmq.add('stray', {}, { jobId: 'stray', removeOnComplete: true });
    const { taskId } = await accepted(store, alice);
    const runs: unknown[] = [];
    await using _consumer = consume(store, async (job) => {
      const turn = await job.begin(hooks);
      runs.push(typeof turn === 'string' ? turn : turn.start.taskId);
      return 'done';
    });
    await until(() => runs.length === 2, { what: 'both runs' });
    // The jobs are of two tenants, whose order is not defined.
    expect(runs.toSorted()).toEqual([taskId, 'missing'].toSorted());
    await bullmq.close();
  });

  test('of a paused queue runs after the queue was resumed', async () => {
    const store = await testStore();
    let runs = 0;
    await store.ops.agentQueues.pause('echo');
    await using _consumer = consume(store, async () => {
      runs++;
      return 'done';
    });
    await accepted(store, alice);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(runs).toBe(0);
    await store.ops.agentQueues.resume('echo');
    await until(() => runs === 1, { what: 'the run' });
  });
});

describe('a job is removed from its queue by the event that ends its last turn', () => {
  /** Runs one job, and returns what is left of it in the queue after the turn has ended. */
  async function afterTurn(end: (job: TurnJob, store: Store) => Promise<unknown>): Promise<readonly string[]> {
    const store = await testStore();
    await accepted(store, alice);
    const seen: string[][] = [];
    await using _consumer = consume(store, async (job) => {
      await end(job, store);
      const id = `${job.taskId}.${job.job}`;
      const [runs, count, hash] = await Promise.all([
        isRunning(redis, shardOf(store), job.token),
        store.queue.counts('echo'),
        redis.exists(`${rootOf(store)}${id}`),
      ]);
      seen.push([...(runs ? ['run'] : []), ...(count.active ? ['count'] : []), ...(hash ? ['job'] : [])]);
      return 'done';
    });
    await until(() => seen.length === 1, { what: 'the run' });
    return seen[0] ?? [];
  }
  const ALL_LEFT = ['run', 'count', 'job'];

  test('if it completes the task', async () => {
    expect(await afterTurn(async (job) => (await open(job)).publish(status('COMPLETED')))).toEqual([]);
  });

  test('if it asks for input', async () => {
    expect(await afterTurn(async (job) => (await open(job)).publish(status('INPUT_REQUIRED')))).toEqual([]);
  });

  test('if the turn ends while it waits for an authorization', async () => {
    const end = async (job: TurnJob): Promise<void> => {
      const turn = await open(job);
      await turn.publish(status('AUTH_REQUIRED', false));
      expect(await turn.end()).toBe('idle');
    };
    expect(await afterTurn(end)).toEqual([]);
  });

  test('if a cancel was requested', async () => {
    const end = async (job: TurnJob, store: Store): Promise<void> => {
      const turn = await open(job);
      await store.tasks.cancel(alice, job.taskId);
      await turn.publish(status('INPUT_REQUIRED'));
      expect(turn.ending).toBe('canceled');
    };
    expect(await afterTurn(end)).toEqual([]);
  });

  test.each([false, true])('if the last attempt is given up; its task was canceled: %s', async (isCanceled) => {
    const end = async (job: TurnJob, store: Store): Promise<void> => {
      const turn = await open(job);
      if (isCanceled) await store.tasks.cancel(alice, job.taskId);
      await turn.publish(spent('The oven is cold.'));
      expect(turn.ending).toBe(isCanceled ? 'canceled' : 'given-up');
    };
    expect(await afterTurn(end)).toEqual([]);
  });

  test('but not if another message waits', async () => {
    const end = async (job: TurnJob, store: Store): Promise<void> => {
      const turn = await open(job);
      await accepted(store, alice, userMessage('and now?', { taskId: job.taskId }));
      await turn.publish(status('COMPLETED'));
      expect(turn.ending).toBe('more');
    };
    expect(await afterTurn(end)).toEqual(ALL_LEFT);
  });

  test('but not if another run owns the job', async () => {
    const end = async (job: TurnJob, store: Store): Promise<void> => {
      const turn = await open(job);
      await redis.hdel(holderKey(shardOf(store), job.token), job.token);
      await turn.publish(status('COMPLETED'));
      expect(turn.ending).toBe('idle');
    };
    expect(await afterTurn(end)).toEqual(['count', 'job']);
  });
});
