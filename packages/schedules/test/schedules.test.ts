import { scheduleUri, type Task } from '@switchyard/protocol';
import { ScheduledTasks, ScheduleList } from '@switchyard/schedules';
import type { Schedule, Store, Submission } from '@switchyard/store';
import { describe, expect, test } from 'vitest';
import { type Accepted, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testLedger, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';

const redis = testRedis();

const inMs = (ms: number): Pick<Schedule, 'at'> => ({ at: new Date(Date.now() + ms).toISOString() });
const everySecond = { cron: '* * * * * *' };

async function scheduled(store: Store, schedule: Schedule, more: Partial<Submission> = {}): Promise<Accepted> {
  const acceptance = await store.tasks.accept(alice, { message: userMessage(), schedule, ...more });
  if (acceptance.verdict !== 'accepted') throw new Error(`the message was refused: ${acceptance.verdict}`);
  return acceptance;
}

async function taskOf(store: Store, taskId: string): Promise<Task> {
  return JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? 'null');
}

async function listed(store: Store): Promise<Task[]> {
  const { tasks } = await store.tasks.list(alice, { pageSize: 50, historyLength: 0 });
  return tasks.map((task) => JSON.parse(task.toString()));
}

/** Begins due tasks until this many have begun. */
async function beginAll(store: Store, count = 1): Promise<string[]> {
  const begun: string[] = [];
  await until(
    async () => {
      const { tasks, errors } = await new ScheduledTasks(store.inside).begin();
      expect(errors).toEqual([]);
      begun.push(...tasks.map(({ taskId }) => taskId));
      return begun.length >= count;
    },
    { what: `${count} tasks begin` },
  );
  return begun;
}

/** The stored entries of scheduled tasks, and their number for each owner. */
async function waiting(store: Store): Promise<{ entries: string[]; owners: Record<string, string> }> {
  const root = `${store.settings.prefix}{s0}:outbox:later`;
  const entries = (await redis.zrange(root, '0', '-1')).map((entry) => entry.slice(0, 36));
  return { entries, owners: await redis.hgetall(`${root}:owners`) };
}

const nothingWaits = { entries: [], owners: {} };

describe('a scheduled message', () => {
  test('creates a task at once, with its schedule in the metadata, and without a job until it is due', async () => {
    const store = await testStore();
    const schedule = inMs(3_600_000);
    const { taskId, task } = await scheduled(store, schedule);
    const read = await taskOf(store, taskId);
    expect(JSON.parse(task ?? '')).toEqual(read);
    expect(read.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(read.metadata).toEqual({ [scheduleUri]: schedule });
    expect(read.history).toHaveLength(1);
    expect((await listed(store)).map(({ id }) => id)).toEqual([taskId]);
    expect(await store.queue.waiting('echo')).toBe(0);
    expect(await store.scheduledTasks.begin()).toMatchObject({ tasks: [], errors: [] });
    expect(await store.outbox.sweep()).toEqual({ added: 0, known: 0, canceled: 0 });
    expect(await waiting(store)).toEqual({ entries: [taskId], owners: { 'acme/alice/echo': '1' } });
  });

  test('is added to the queue when it is due, and runs like any other message', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, inMs(300));
    const [{ nextInMs }] = [await store.scheduledTasks.begin()];
    expect(nextInMs).toBeGreaterThan(0);
    expect(nextInMs).toBeLessThanOrEqual(300);
    expect(await beginAll(store)).toEqual([taskId]);
    expect(await waiting(store)).toEqual(nothingWaits);
    expect(await store.queue.waiting('echo')).toBe(1);
    const turn = await begun(store, taskId);
    expect(turn.start.message.parts).toEqual([{ text: 'hello' }]);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    expect((await taskOf(store, taskId)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('for a time in the past begins at once', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, { at: '0001-01-01T00:00:00Z' });
    expect(await beginAll(store)).toEqual([taskId]);
  });

  test('begins once, also if several processes begin it concurrently', async () => {
    const store = await testStore({ maxScheduled: 0 });
    const tasks = await Promise.all(Array.from({ length: 150 }, () => scheduled(store, inMs(0))));
    const all = await Promise.all(Array.from({ length: 4 }, () => store.scheduledTasks.begin()));
    const began = all.flatMap((one) => one.tasks.map(({ taskId }) => taskId));
    expect(began.toSorted()).toEqual(tasks.map(({ taskId }) => taskId).toSorted());
    expect(await store.queue.waiting('echo')).toBe(150);
  });

  test('that is sent again gets the first answer, before and after its begin', async () => {
    const store = await testStore();
    const message = userMessage();
    const { taskId } = await scheduled(store, inMs(100), { message });
    expect(await scheduled(store, inMs(200), { message })).toMatchObject({ isDuplicate: true, taskId });
    await beginAll(store);
    expect(await scheduled(store, inMs(200), { message })).toMatchObject({ isDuplicate: true, taskId });
    expect(await store.queue.waiting('echo')).toBe(1);
  });

  test('makes its task refuse other messages until it begins', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, inMs(3_600_000));
    const message = userMessage('more', { taskId });
    expect(await store.tasks.accept(alice, { message })).toEqual({ verdict: 'waits' });
  });

  test('that is canceled never begins', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, inMs(100));
    expect(await store.tasks.cancel(alice, taskId)).toBe('canceled');
    expect(await waiting(store)).toEqual(nothingWaits);
    expect((await taskOf(store, taskId)).status.state).toBe('TASK_STATE_CANCELED');
    expect(await store.scheduledTasks.begin()).toMatchObject({ tasks: [], nextInMs: Number.POSITIVE_INFINITY });
  });

  test('that is canceled can be deleted without leaving a key', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, inMs(3_600_000));
    expect(await store.tasks.delete(alice, taskId)).toBe('live');
    await store.tasks.cancel(alice, taskId);
    expect(await store.tasks.delete(alice, taskId)).toBe('deleted');
    expect(await redis.keys(`${store.settings.prefix}*${taskId}*`)).toEqual([]);
  });

  test('begins in the queue of its skill', async () => {
    const store = await testStore();
    await scheduled(store, inMs(0), { skill: { id: 'print', hasQueue: true } });
    await beginAll(store);
    expect(await store.queue.waiting('echo~print')).toBe(1);
  });

  test('is refused if its principal has maxScheduled scheduled tasks at the agent', async () => {
    const store = await testStore({ maxScheduled: 2 });
    const [first] = [await scheduled(store, inMs(3_600_000)), await scheduled(store, inMs(3_600_000))];
    const schedule = inMs(3_600_000);
    const send = (scope = alice) => store.tasks.accept(scope, { message: userMessage(), schedule });
    expect(await send()).toEqual({ verdict: 'too-many-scheduled' });
    expect(await store.tasks.accept(alice, { message: userMessage() })).toMatchObject({ verdict: 'accepted' });
    expect(await send(bob)).toMatchObject({ verdict: 'accepted' });
    await store.tasks.cancel(alice, first.taskId);
    expect(await send()).toMatchObject({ verdict: 'accepted' });
  });
});

describe('a repeating schedule', () => {
  test('creates the next task when one begins, with the same message in the same context', async () => {
    const store = await testStore();
    const first = await scheduled(store, { ...inMs(0), ...everySecond });
    await beginAll(store);
    const [next] = (await waiting(store)).entries;
    const [before, after] = [await taskOf(store, first.taskId), await taskOf(store, next ?? '')];
    expect(after.contextId).toBe(before.contextId);
    expect(after.history?.[0]?.parts).toEqual(before.history?.[0]?.parts);
    expect(after.history?.[0]?.messageId).not.toBe(before.history?.[0]?.messageId);
    expect(after.metadata?.[scheduleUri]).toMatchObject({ ...everySecond, previousTaskId: first.taskId });
    expect((await waiting(store)).owners).toEqual({ 'acme/alice/echo': '1' });
    expect(await beginAll(store)).toEqual([next]);
  });

  test('creates the next task once, with the same id, if the process crashes or a fail-over loses the task', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, { ...inMs(0), ...everySecond });
    await beginAll(store);
    const [next = ''] = (await waiting(store)).entries;
    const messageId = (await taskOf(store, next)).history?.[0]?.messageId;
    // Redis is as it was after the begin, before the next task was made.
    const shard = `${store.settings.prefix}{s0}`;
    const root = `${shard}:outbox:later`;
    await redis.zrem(root, `${next} acme/alice/echo`);
    await redis.zadd(root, 0, `${taskId} acme/alice/echo`);
    await redis.del(`${shard}:m:acme/alice/echo:${messageId}`, `${shard}:t:${next}`, `${shard}:t:${next}:e`);
    expect(
      (await Promise.all([store.scheduledTasks.begin(), store.scheduledTasks.begin()])).flatMap(({ tasks }) => tasks),
    ).toEqual([]);
    expect(await store.queue.waiting('echo')).toBe(1);
    const { entries, owners } = await waiting(store);
    expect(entries).toEqual([next]);
    expect(owners).toEqual({ 'acme/alice/echo': '1' });
  });

  test('begins a task again whose begin a fail-over lost before the next task was created', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, { ...everySecond, ...inMs(0) });
    const submission = { message: userMessage(), schedule: { ...everySecond, ...inMs(1_000) }, previousTaskId: taskId };
    expect((await store.tasks.accept(alice, submission)).verdict).toBe('missing');
    expect((await waiting(store)).entries).toEqual([taskId]);
    expect(await beginAll(store)).toEqual([taskId]);
  });

  test('ends when its waiting task is canceled, and continues when a task that has begun is canceled', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, { ...inMs(0), ...everySecond });
    await beginAll(store);
    await store.tasks.cancel(alice, taskId);
    const [next = ''] = (await waiting(store)).entries;
    expect(await store.tasks.cancel(alice, next)).toBe('canceled');
    expect(await waiting(store)).toEqual(nothingWaits);
  });

  test.each([
    ['after the given number of times', () => ({ times: 2 })],
    ['with the last time before its end', () => ({ until: new Date(Date.now() + 1_100).toISOString() })],
  ])('ends %s', async (_, end) => {
    const store = await testStore();
    await scheduled(store, {
      at: new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString(),
      ...everySecond,
      ...end(),
    });
    await beginAll(store, 2);
    expect(await waiting(store)).toEqual(nothingWaits);
    expect(await listed(store)).toHaveLength(2);
  });

  test('copies the webhooks of each task to the next', async () => {
    const store = await testStore({ pushSecrets: ['0123456789abcdef0123456789abcdef'] });
    const webhook = { id: 'a', url: 'https://client.example.com/hook', token: 'secret' };
    const { taskId } = await scheduled(store, { ...inMs(0), ...everySecond }, { webhook });
    await store.webhooks.create(alice, taskId, { id: 'b', url: 'https://client.example.com/other' });
    await beginAll(store);
    const [next = ''] = (await waiting(store)).entries;
    const page = await store.webhooks.list(alice, next, { pageSize: 9 });
    expect(page?.webhooks).toMatchObject([webhook, { id: 'b' }]);
  });

  test('creates the next task and all its webhooks in one step', async () => {
    const ledger = await testLedger();
    const store = await testStore({ redisUrl: ledger.url });
    const commandsWith = async (...ids: string[]): Promise<readonly string[]> => {
      const { taskId } = await scheduled(store, { ...inMs(-1_000), ...everySecond });
      for (const id of ids) await store.webhooks.create(alice, taskId, { id, url: 'https://client.example.com' });
      const { commands } = await ledger.during(async () => {
        expect(await store.scheduledTasks.begin()).toMatchObject({ tasks: [{ taskId }], errors: [] });
      });
      const sent = [...commands];
      for (const { id } of await listed(store)) await store.tasks.cancel(alice, id);
      return sent;
    };
    await commandsWith('a'); // loads the scripts into Redis
    const commands = await commandsWith('a');
    expect(await commandsWith('a', 'b', 'c')).toEqual(commands);
  });

  test('goes on without a webhook whose secret was removed, and says so', async () => {
    const old = await testStore({ pushSecrets: ['an old secret'] });
    const { taskId } = await scheduled(old, { ...inMs(0), ...everySecond });
    await old.webhooks.create(alice, taskId, { id: 'old', url: 'https://client.example.com/old' });
    const store = await testStore({ prefix: old.settings.prefix, pushSecrets: ['a new secret'] });
    const webhook = { id: 'new', url: 'https://client.example.com/new' };
    await store.webhooks.create(alice, taskId, webhook);
    const { tasks, errors } = await store.scheduledTasks.begin();
    expect(tasks).toMatchObject([{ taskId }]);
    expect(errors.map(String)).toEqual([expect.stringContaining(`Webhook old of task ${taskId}: It was encrypted`)]);
    const [next = ''] = (await waiting(store)).entries;
    expect((await store.webhooks.list(alice, next, { pageSize: 9 }))?.webhooks).toEqual([webhook]);
    expect(await beginAll(store)).toEqual([next]);
  });

  test('waits while quotas refuse the next task, and continues afterwards', async () => {
    const store = await testStore({ maxOpenTasks: 1 });
    const { taskId } = await scheduled(store, { ...inMs(0), ...everySecond });
    const { tasks, refused } = await store.scheduledTasks.begin();
    expect(tasks).toHaveLength(1);
    expect(refused).toEqual([{ agent: 'echo', taskId, why: 'too-many-open', willRetry: true }]);
    expect((await waiting(store)).entries).toEqual([taskId]);
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    await redis.zadd(`${store.settings.prefix}{s0}:outbox:later`, 0, `${taskId} acme/alice/echo`);
    await store.scheduledTasks.begin();
    const { entries, owners } = await waiting(store);
    expect(entries).not.toContain(taskId);
    expect([entries.length, owners]).toEqual([1, { 'acme/alice/echo': '1' }]);
  });

  test('continues if its principal has maxScheduled scheduled tasks', async () => {
    const store = await testStore({ maxScheduled: 1 });
    await scheduled(store, { ...inMs(0), ...everySecond });
    await beginAll(store, 2);
    const schedule = inMs(3_600_000);
    expect(await store.tasks.accept(alice, { message: userMessage(), schedule })).toEqual({
      verdict: 'too-many-scheduled',
    });
  });
});

describe('a schedule', () => {
  const firstPage = { pageSize: 50 };
  const only = async (store: Store) => {
    const { items, totalSize } = await new ScheduleList(store.inside).list({}, firstPage);
    expect(totalSize).toBe(items.length);
    return items;
  };

  test('is listed and read with its next and last task under the id of its first task, until it ends', async () => {
    const store = await testStore();
    const { taskId: scheduleId, contextId } = await scheduled(store, { ...inMs(0), ...everySecond, times: 3 });
    const identity = { scheduleId, contextId, agent: 'echo', tenant: 'acme', subject: 'alice', ...everySecond };
    expect(await only(store)).toMatchObject([{ ...identity, state: 'active', nextTaskId: scheduleId, times: 3 }]);
    await beginAll(store);
    const [next = ''] = (await waiting(store)).entries;
    const { metadata } = await taskOf(store, next);
    const reading = await store.scheduleList.read(scheduleId);
    expect(reading).toMatchObject({ ...identity, nextTaskId: next, lastTaskId: scheduleId, times: 2 });
    expect(reading).toMatchObject({ nextAt: Object(metadata?.[scheduleUri]).at, lastState: 'TASK_STATE_SUBMITTED' });
    expect(metadata?.[scheduleUri]).toMatchObject({ scheduleId, previousTaskId: scheduleId });
    expect(await store.scheduleList.read(next)).toEqual(reading);
    await beginAll(store, 2);
    expect([await only(store), await store.scheduleList.read(scheduleId)]).toEqual([[], undefined]);
  });

  test('is listed for its principal, for its tenant and for its agent, page by page', async () => {
    const store = await testStore({ shards: 3 });
    const ids: string[] = [];
    for (const scope of [alice, bob, alice]) {
      const acceptance = await store.tasks.accept(scope, { message: userMessage(), schedule: inMs(3_600_000) });
      if (acceptance.verdict === 'accepted') ids.push(acceptance.taskId);
    }
    const [first = '', ofBob = '', third = ''] = ids;
    const idsOf = async (filter: Parameters<ScheduleList['list']>[0]) =>
      (await store.scheduleList.list(filter, firstPage)).items.map(({ scheduleId }) => scheduleId).toSorted();
    expect(await idsOf({ principal: alice.principal })).toEqual([first, third].toSorted());
    expect(await idsOf({ principal: bob.principal })).toEqual([ofBob]);
    expect(await idsOf({ tenant: alice.principal.tenant, agent: 'echo' })).toHaveLength(3);
    expect(await idsOf({ agent: 'another' })).toEqual([]);
    expect(await store.scheduleList.read(first, bob.principal)).toBeUndefined();
    expect(await store.scheduleList.change(first, 'end', bob.principal)).toBe('gone');
    const page = await store.scheduleList.list({}, { pageSize: 2 });
    const rest = await store.scheduleList.list({}, { pageSize: 2, pageToken: page.nextPageToken });
    expect([...page.items, ...rest.items].map(({ scheduleId }) => scheduleId).toSorted()).toEqual(ids.toSorted());
  });

  test.each([
    ['before its first task has begun', 0],
    ['after its first task has begun', 1],
  ])('ends by the id of its first task %s, and cancels only the task that waits', async (_, begun) => {
    const store = await testStore();
    const { taskId } = await scheduled(store, { ...inMs(begun ? 0 : 3_600_000), ...everySecond });
    if (begun) await beginAll(store);
    const [waits = ''] = (await waiting(store)).entries;
    expect(await store.scheduleList.change(taskId, 'end')).toBe('done');
    expect(await waiting(store)).toEqual(nothingWaits);
    expect((await taskOf(store, waits)).status.state).toBe('TASK_STATE_CANCELED');
    if (begun) expect((await taskOf(store, taskId)).status.state).toBe('TASK_STATE_SUBMITTED');
    expect([await only(store), await store.scheduleList.change(taskId, 'end')]).toEqual([[], 'gone']);
    expect(await redis.keys(`${store.settings.prefix}{s0}:outbox:schedules*`)).toEqual([]);
  });

  test('ends with its waiting task, and when that task is deleted', async () => {
    const store = await testStore();
    const { taskId } = await scheduled(store, { ...inMs(3_600_000), ...everySecond });
    await store.tasks.cancel(alice, taskId);
    expect([await only(store), await redis.exists(`${store.settings.prefix}{s0}:outbox:schedules:tasks`)]).toEqual([
      [],
      0,
    ]);
  });

  /** Pauses a schedule whose task would begin soon. @returns the id of the schedule, after the time of that task */
  async function pausedBeforeItsTime(store: Store, more: Partial<Schedule>): Promise<string> {
    const schedule = { ...inMs(200), ...more };
    const { taskId } = await scheduled(store, schedule);
    for (let i = 0; i < 2; i++) expect(await new ScheduleList(store.inside).change(taskId, 'pause')).toBe('done');
    const [paused] = await only(store);
    expect([paused?.state, paused?.nextTaskId, paused?.nextAt]).toEqual(['paused', taskId, undefined]);
    await until(() => Date.now() > Date.parse(schedule.at), { what: 'its time has passed' });
    expect(await new ScheduledTasks(store.inside).begin()).toMatchObject({
      tasks: [],
      nextInMs: Number.POSITIVE_INFINITY,
    });
    return taskId;
  }

  test('that is paused begins no task until it is resumed, then at its next time', async () => {
    const store = await testStore();
    const taskId = await pausedBeforeItsTime(store, { cron: '0 9 * * *', times: 4 });
    for (let i = 0; i < 2; i++) expect(await store.scheduleList.change(taskId, 'resume')).toBe('done');
    const [resumed] = await only(store);
    expect(resumed).toMatchObject({ state: 'active', nextTaskId: taskId, times: 4 });
    expect(Date.parse(resumed?.nextAt ?? '')).toBeGreaterThan(Date.now());
    const task = await taskOf(store, taskId);
    expect(Object(task.metadata?.[scheduleUri])).toMatchObject({ at: resumed?.nextAt, scheduleId: taskId });
    const entry = `${taskId} acme/alice/echo`;
    expect(await redis.zscore(`${store.settings.prefix}{s0}:outbox:later`, entry)).toBe(
      String(Date.parse(resumed?.nextAt ?? '')),
    );
  });

  test('of one task begins at once when it is resumed after its time', async () => {
    const store = await testStore();
    const taskId = await pausedBeforeItsTime(store, {});
    expect(await store.scheduleList.change(taskId, 'resume')).toBe('done');
    expect(await beginAll(store)).toEqual([taskId]);
    expect(await only(store)).toEqual([]);
  });

  test('cannot be resumed after its last time, but be ended', async () => {
    const store = await testStore();
    const taskId = await pausedBeforeItsTime(store, {
      cron: '0 9 * * *',
      until: new Date(Date.now() + 210).toISOString(),
    });
    expect(await store.scheduleList.change(taskId, 'resume')).toBe('over');
    expect(await store.scheduleList.change(taskId, 'end')).toBe('done');
    expect(await waiting(store)).toEqual(nothingWaits);
  });

  test('that is paused while a quota delays its next task creates that task, which waits', async () => {
    const store = await testStore({ maxOpenTasks: 1 });
    const { taskId } = await scheduled(store, { ...inMs(0), ...everySecond });
    await store.scheduledTasks.begin();
    expect(await only(store)).toMatchObject([{ state: 'delayed', lastTaskId: taskId }]);
    expect(await store.scheduleList.change(taskId, 'pause')).toBe('done');
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    await redis.zadd(`${store.settings.prefix}{s0}:outbox:later`, 0, `${taskId} acme/alice/echo`);
    await store.scheduledTasks.begin();
    const [paused] = await only(store);
    expect(paused).toMatchObject({ state: 'paused', lastTaskId: taskId, lastState: 'TASK_STATE_COMPLETED' });
    expect(paused?.nextTaskId).not.toBe(taskId);
    expect(await store.scheduleList.change(taskId, 'resume')).toBe('done');
    expect(await beginAll(store)).toEqual([paused?.nextTaskId]);
  });

  test('that a quota delays ends without a next task', async () => {
    const store = await testStore({ maxOpenTasks: 1 });
    const { taskId } = await scheduled(store, { ...inMs(0), ...everySecond });
    await store.scheduledTasks.begin();
    expect(await store.scheduleList.change(taskId, 'end')).toBe('done');
    expect([await waiting(store), await only(store)]).toEqual([nothingWaits, []]);
  });
});
