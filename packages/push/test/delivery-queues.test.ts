import { randomUUID } from 'node:crypto';
import { Deliveries } from '@switchyard/push';
import { formatEventId, type Store } from '@switchyard/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failOverTo } from '../../../tests/support/fail-over.ts';
import { accepted, agentMessage, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';
import type { PushJob } from '../src/deliveries.ts';
import type { OpenDeliveryQueue } from '../src/open-delivery-queue.ts';

const store = await testStore({ keptEvents: 1 });
const reclaiming = await testStore({ reclaimAfterMs: 1 });
const redis = testRedis();
const url = 'https://client.example.com/hook';
const deadLetter = { origin: 'https://client.example.com', reason: 'the answer was 500', attempts: 7 };
const working = { kind: 'status', state: 'TASK_STATE_WORKING', settles: false } as const;

const root = (of: Store): string => `${of.settings.prefix}{s0}:`;
const marks = (of: Store): Promise<string[]> => redis.zrange(`${root(of)}push`, '0', '-1');

/** Creates a task with a webhook `a` that has not received the first event. */
async function withWebhook(of: Store): Promise<string> {
  const acceptance = await of.tasks.accept(alice, { message: userMessage(), webhook: { id: 'a', url } });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance.taskId;
}

async function jobOf(of: Store, taskId: string): Promise<PushJob> {
  const job = Number(await redis.hget(`${root(of)}t:${taskId}:w`, '1:job'));
  return { taskId, number: 1, job, token: randomUUID() };
}

async function opened(of: Store, job: PushJob): Promise<OpenDeliveryQueue> {
  const queue = await new Deliveries(of.inside).open(job);
  if (typeof queue === 'string') throw new Error(`there was nothing to deliver: ${queue}`);
  return queue;
}

describe('a delivery queue', () => {
  test('is marked by an event, and unmarked when the event was delivered', async () => {
    const taskId = await withWebhook(store);
    expect(await marks(store)).toContain(`${taskId}.1`);
    const first = await jobOf(store, taskId);
    const queue = await opened(store, first);
    expect(await queue.events()).toMatchObject([{ seq: 1, state: 'TASK_STATE_SUBMITTED' }]);
    expect(await queue.advance({ seq: 1, pending: [] })).toBe('idle');
    expect(await marks(store)).not.toContain(`${taskId}.1`);
    await (await begun(store, taskId)).publish(working);
    expect(await marks(store)).toContain(`${taskId}.1`);
    expect((await jobOf(store, taskId)).job).toBe(first.job + 1);
    expect(await store.deliveries.open(first)).toBe('stale');
  });

  test('has a few events at a time in memory if they are large', async () => {
    const taskId = await withWebhook(reclaiming);
    const turn = await begun(reclaiming, taskId);
    for (let n = 0; n < 6; n++) await turn.publish({ ...working, message: agentMessage('x'.repeat(600_000)) });
    const queue = await opened(reclaiming, await jobOf(reclaiming, taskId));
    const seqs: number[] = [];
    for (let next: 'more' | 'idle' | 'fenced' = 'more'; next === 'more'; ) {
      const events = await queue.events();
      if (events === 'trimmed') throw new Error('the stream has all events');
      expect(events.reduce((sum, { json }) => sum + json.length, 0)).toBeLessThan(2_000_000);
      for (const { seq, incarnation } of events) {
        seqs.push(seq);
        next = await queue.advance({ seq, incarnation, pending: [] });
      }
    }
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('that is held back is claimed only after the first event of the agent', async () => {
    const acceptance = await store.tasks.accept(alice, {
      message: userMessage(),
      webhook: { id: 'a', url },
      webhookHoldMs: Number.POSITIVE_INFINITY,
    });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    const { taskId } = acceptance;
    const claims = (): Promise<string | null> => redis.hget(`${root(store)}t:${taskId}:w`, '1:claims');
    await store.deliveries.claim();
    expect([await claims(), (await marks(store)).includes(`${taskId}.1`)]).toEqual([null, true]);
    const turn = await begun(store, taskId);
    await turn.publish(working);
    await store.deliveries.claim();
    expect(await claims()).toBe('1');
    await turn.publish(working);
    await store.deliveries.claim();
    expect(await claims()).toBe('1');
  });

  test('has more to deliver if an event came during the last delivery', async () => {
    const taskId = await withWebhook(store);
    const queue = await opened(store, await jobOf(store, taskId));
    await (await begun(store, taskId)).publish(working);
    expect(await queue.advance({ seq: 1, pending: [] })).toBe('more');
    expect(await queue.events()).toMatchObject([{ seq: 2 }]);
  });

  test('is marked by each chunk of an artifact', async () => {
    const taskId = await withWebhook(store);
    const turn = await begun(store, taskId);
    const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
    for (const [append, seq] of [
      [false, 2],
      [true, 3],
      [true, 4],
    ] as const) {
      await turn.publish({ kind: 'artifact', artifact, append, lastChunk: false });
      await turn.written();
      expect(await marks(store)).toContain(`${taskId}.1`);
      const queue = await opened(store, await jobOf(store, taskId));
      expect(await queue.advance({ seq, pending: [] })).toBe('idle');
    }
    expect(await marks(store)).not.toContain(`${taskId}.1`);
  });

  test('delivers a snapshot after a fail-over that lost a delivered event', async () => {
    const taskId = await withWebhook(store);
    const first = await opened(store, await jobOf(store, taskId));
    const task = `${root(store)}t:${taskId}`;
    const failOver = await failOverTo(redis, task, `${task}:e`, `${task}:w`, `${root(store)}push`);
    await (await begun(store, taskId)).publish(working);
    const [, lost] = [await first.advance({ seq: 1, pending: [] }), await first.events()];
    if (lost === 'trimmed' || !lost[0]) throw new Error('no event');

    await failOver();
    await (await begun(store, taskId, { started: 2 })).publish(working);
    const second = await opened(store, await jobOf(store, taskId));
    await second.advance({ seq: 1, pending: [] });
    expect(await second.advance({ ...lost[0], pending: [] })).toBe('more');
    expect(await second.events()).toBe('trimmed');
    const now = await second.task();
    if (!now) throw new Error('no task');
    expect(formatEventId(now)).not.toBe(formatEventId(lost[0]));
    expect(await second.advance({ ...now, pending: [] })).toBe('idle');
    // A cursor with an incarnation that does not exist continues at the end of the stream.
    await redis.hset(`${task}:w`, '1:cursor', `2-${lost[0].incarnation}`);
    expect((await opened(store, await jobOf(store, taskId))).cursor.seq).toBe(2);
  });

  test('can be changed only by the run that opened it last', async () => {
    const taskId = await withWebhook(store);
    const fenced = await opened(store, await jobOf(store, taskId));
    const owner = await opened(store, await jobOf(store, taskId));
    expect(await fenced.advance({ seq: 1, pending: [] })).toBe('fenced');
    expect(await fenced.postpone({ delayMs: 0, attempts: 1 })).toBe('fenced');
    expect(await fenced.deadLetter(deadLetter)).toBe('fenced');
    expect(await fenced.remove()).toBe('fenced');
    expect(await owner.advance({ seq: 1, pending: [] })).toBe('idle');
  });

  test('stores its cursor with pending artifacts, and the number of failed attempts', async () => {
    const taskId = await withWebhook(store);
    await (await begun(store, taskId)).publish(working);
    const queue = await opened(store, await jobOf(store, taskId));
    await queue.advance({ seq: 1, pending: ['report', 'a "b"'] });
    await queue.postpone({ delayMs: 0, attempts: 3 });
    const again = await opened(store, await jobOf(store, taskId));
    expect(again.cursor).toEqual({ seq: 1, pending: ['report', 'a "b"'] });
    expect(again.attempts).toBe(3);
    expect(again.ageMs).toBeGreaterThanOrEqual(0);
    await again.advance({ seq: 2, pending: [] });
    await (await begun(store, taskId, { started: 2 })).publish(working);
    expect((await opened(store, await jobOf(store, taskId))).attempts).toBe(0);
  });

  test('delivers a snapshot of the task if its events are no longer in the stream', async () => {
    const taskId = await withWebhook(store);
    const queue = await opened(store, await jobOf(store, taskId));
    await redis.xtrim(`${root(store)}t:${taskId}:e`, 'MAXLEN', 0);
    expect(await queue.events()).toBe('trimmed');
    const task = await queue.task();
    expect(task?.seq).toBe(1);
    expect(JSON.parse(task?.json ?? '')).toMatchObject({ id: taskId });
  });

  test('is deleted with its webhook', async () => {
    const taskId = await withWebhook(store);
    const job = await jobOf(store, taskId);
    const queue = await opened(store, job);
    await store.webhooks.delete(alice, taskId, 'a');
    expect(await queue.advance({ seq: 1, pending: [] })).toBe('fenced');
    expect(await store.deliveries.open(job)).toBe('stale');
    expect(await marks(store)).not.toContain(`${taskId}.1`);
    expect(await redis.hgetall(`${root(store)}t:${taskId}:w`)).toEqual({ last: '1', count: '0' });
  });

  test('does not exist for a task without webhooks', async () => {
    const { taskId } = await accepted(store, alice);
    await (await begun(store, taskId)).publish(working);
    expect((await marks(store)).filter((id) => id.startsWith(taskId))).toEqual([]);
    expect(await redis.exists(`${root(store)}t:${taskId}:w`)).toBe(0);
  });
});

describe('claiming delivery queues', () => {
  test('the event that marks a queue notifies one of several processes, of this shard only; one process claims it', async () => {
    const own = await testStore({ shards: 4 });
    const others = [await testStore(own.settings), await testStore(own.settings)];
    let notifications = 0;
    for (const store of [own, ...others]) {
      const unlisten = store.dueWork.listen('deliveries', () => notifications++);
      onTestFinished(unlisten);
    }
    await withWebhook(own);
    await until(() => notifications, { what: 'the notification' });
    const isSeen = async () => (await redis.keys(`${own.settings.prefix}*push:marker`)).length === 0;
    await until(isSeen, { what: 'no notification is left' });
    expect(notifications).toBe(1);
    const claims = await Promise.all([1, 2, 3].map(() => own.deliveries.claim()));
    expect(claims.sort()).toEqual([0, 0, 1]);
    expect(await own.deliveries.waiting()).toBe(1);
  });

  test('is claimed together with all others that are due, as after a time without workers', async () => {
    const own = await testStore();
    await Promise.all(Array.from({ length: 450 }, () => withWebhook(own)));
    expect(await own.deliveries.claim()).toBe(450);
    expect(await own.deliveries.waiting()).toBe(450);
  });

  test('adds a lost job again after the lease, also one that is in none of the lists of the queue', async () => {
    const taskId = await withWebhook(reclaiming);
    const { job } = await jobOf(reclaiming, taskId);
    await reclaiming.deliveries.claim();
    await redis.del(...(await redis.keys(`${root(reclaiming)}q:@push:*`)));
    await until(() => reclaiming.deliveries.claim(), { what: 'the lease to end' });
    expect(await reclaiming.deliveries.waiting()).toBe(1);
    await redis.del(`${root(reclaiming)}q:@push:prioritized`); // the job is in none of the queue's lists
    await until(async () => (await reclaiming.deliveries.claim()) && reclaiming.deliveries.waiting(), {
      what: 'the job waits',
    });
    expect((await jobOf(reclaiming, taskId)).job).toBe(job);
    await reclaiming.webhooks.delete(alice, taskId, 'a');
  });

  test('doubles the lease of a queue each time that its job is late, up to 16 times', async () => {
    const own = await testStore();
    const taskId = await withWebhook(own);
    const dueInMs = async (): Promise<number> => {
      await redis.zadd(`${root(own)}push`, 0, `${taskId}.1`);
      const [seconds] = await redis.time();
      await own.deliveries.claim();
      return Number(await redis.zscore(`${root(own)}push`, `${taskId}.1`)) - Number(seconds) * 1_000;
    };
    const leases: number[] = [];
    for (let n = 0; n < 6; n++) leases.push(Math.round((await dueInMs()) / own.settings.reclaimAfterMs));
    expect(leases).toEqual([1, 2, 4, 8, 16, 16]);
    expect(await own.deliveries.waiting()).toBe(1);
  });

  test('does not claim a queue before its next attempt is due', async () => {
    const taskId = await withWebhook(reclaiming);
    await reclaiming.deliveries.claim();
    await (await opened(reclaiming, await jobOf(reclaiming, taskId))).postpone({ delayMs: 60_000, attempts: 1 });
    expect(await reclaiming.deliveries.claim()).toBe(0);
    await reclaiming.webhooks.delete(alice, taskId, 'a');
  });

  test('unmarks the queues of expired tasks', async () => {
    const taskId = await withWebhook(store);
    await redis.del(`${root(store)}t:${taskId}`, `${root(store)}t:${taskId}:w`);
    await store.deliveries.claim();
    expect(await marks(store)).not.toContain(`${taskId}.1`);
  });
});

describe('a dead letter', () => {
  const deadLettered = async (): Promise<string> => {
    const taskId = await withWebhook(store);
    await (await opened(store, await jobOf(store, taskId))).deadLetter(deadLetter);
    return taskId;
  };
  const of = (taskId: string) => store.ops.deadLetters.get(`${taskId}.1`);

  test('has the reason and the time', async () => {
    const taskId = await deadLettered();
    expect(await of(taskId)).toEqual({
      ...deadLetter,
      kind: 'webhook',
      configId: 'a',
      id: `${taskId}.1`,
      taskId,
      lastSeq: 0,
      diedAt: expect.any(String),
    });
  });

  test('receives no deliveries until it is retried, then it continues where it stopped', async () => {
    const taskId = await deadLettered();
    await (await begun(store, taskId)).publish(working);
    expect(await marks(store)).not.toContain(`${taskId}.1`);
    expect(await store.deliveries.open(await jobOf(store, taskId))).toBe('stale');
    expect(await store.ops.deadLetters.retry(`${taskId}.1`)).toEqual({ verdict: 'retried', taskId });
    expect(await store.ops.deadLetters.retry(`${taskId}.1`)).toEqual({ verdict: 'missing' });
    expect(await of(taskId)).toBeUndefined();
    const queue = await opened(store, await jobOf(store, taskId));
    expect(await queue.events()).toMatchObject([{ seq: 1 }, { seq: 2 }]);
  });

  test('is deleted with its webhook', async () => {
    const taskId = await deadLettered();
    expect(await store.ops.deadLetters.delete(`${taskId}.1`)).toBe(true);
    expect(await store.ops.deadLetters.delete(`${taskId}.1`)).toBe(false);
    expect(await of(taskId)).toBeUndefined();
    expect(await store.webhooks.get(alice, taskId, 'a')).toBeUndefined();
  });

  test('is deleted when the client replaces the webhook, which continues where the old one stopped', async () => {
    const taskId = await deadLettered();
    await store.webhooks.create(alice, taskId, { id: 'a', url: `${url}/2` });
    expect(await of(taskId)).toBeUndefined();
    expect(await marks(store)).toContain(`${taskId}.2`);
    expect(await redis.hget(`${root(store)}t:${taskId}:w`, '2:cursor')).toBe('0');
  });

  test('of an expired task is missing, and a retry creates no key', async () => {
    const taskId = await deadLettered();
    await redis.del(`${root(store)}t:${taskId}`, `${root(store)}t:${taskId}:w`);
    expect(await of(taskId)).toBeUndefined();
    expect(await store.ops.deadLetters.retry(`${taskId}.1`)).toEqual({ verdict: 'missing' });
    expect(await redis.keys(`${root(store)}t:${taskId}*`)).toEqual([`${root(store)}t:${taskId}:e`]);
  });
});
