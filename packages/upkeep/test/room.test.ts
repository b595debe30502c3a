import type { TurnEvent } from '@switchyard/protocol';
import { Webhooks } from '@switchyard/push';
import { ScheduledTasks } from '@switchyard/schedules';
import { type Scope, Store, type StoreSettings, TaskMissing } from '@switchyard/store';
import { Room } from '@switchyard/upkeep';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { accepted, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis } from '../../../tests/support/store/redis.ts';

// A Redis of its own, whose memory the tests limit.
const server = await startRedis();
afterAll(() => server.stop());
const redis = testRedis(server.url);
const card = { name: 'A', description: 'A', version: '1', skills: [], defaultInputModes: [], defaultOutputModes: [] };
const kitchen: Scope = { ...alice, agent: 'kitchen' };

beforeEach(async () => {
  await redis.config('SET', 'maxmemory', '0');
  await redis.flushall();
});

async function openStore(settings: Partial<StoreSettings> = {}): Promise<Store> {
  const store = new Store({ redisUrl: server.url, prefix: 'sw', retentionMinMs: 0, ...settings }, () => undefined);
  afterAll(() => store.stop());
  await store.start();
  const agents = ['echo', 'kitchen'].map((id) => {
    return {
      id,
      card: { ...card, supportedInterfaces: [], capabilities: {} },
      repliesWithMessage: false,
      concurrency: 1,
    };
  });
  await store.registry.announce(agents, 'w');
  return store;
}

const outcome = (state: 'COMPLETED' | 'FAILED' | 'INPUT_REQUIRED'): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles: true,
});

/** @returns the id of a task that has ended */
async function ended(store: Store, scope: Scope = alice, text = 'hello'): Promise<string> {
  const { taskId } = await accepted(store, scope, userMessage(text));
  await (await begun(store, taskId)).publish(outcome('COMPLETED'));
  return taskId;
}

/** @returns the ids of tasks of 40 kB that ended one after the other */
async function endedTasks(store: Store, count: number, scope: Scope = alice): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await ended(store, scope, 'long '.repeat(8_000)));
  return ids;
}

async function usedBytes(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

/** Limits Redis' memory so that three quarters of it are used when so many bytes are free again. */
async function limitMemory(toFree: number): Promise<void> {
  await redis.config('SET', 'maxmemory', String(Math.round(((await usedBytes()) - toFree) / 0.75)));
}

/** However much is dropped, Redis remains full. */
const limitMemoryFarBelow = (): Promise<unknown> => redis.config('SET', 'maxmemory', String(1_000));

const kept = async (store: Store, scope: Scope, ids: readonly string[]): Promise<string[]> => {
  const all = await Promise.all(ids.map(async (id) => ((await store.tasks.read(scope, id)) ? id : [])));
  return all.flat();
};

describe('while less than makeRoomAtPercent of the memory is used', () => {
  test('no task is dropped', async () => {
    const store = await openStore();
    const ids = await endedTasks(store, 3);
    expect(await new Room(store.inside).make()).toMatchObject({ dropped: 0, usedShare: 0 });
    await redis.config('SET', 'maxmemory', String(2 * (await usedBytes())));
    const { dropped, usedShare } = await new Room(store.inside).make();
    expect(dropped).toBe(0);
    expect(usedShare).toBeGreaterThan(0.3);
    expect(await kept(store, alice, ids)).toEqual(ids);
  });
});

describe('in a Redis that is nearly full', () => {
  test('the oldest ended tasks go, until there is room', async () => {
    const store = await openStore();
    const ids = await endedTasks(store, 90);
    await new Room(store.inside).make(); // loads the script, which needs memory, too
    await limitMemory(1_000_000);
    const { dropped } = await new Room(store.inside).make();
    expect(dropped).toBeGreaterThan(10);
    expect(dropped).toBeLessThan(90);
    // Before the reads: Redis 8 counts the memory of Lua, and so what their scripts leave to its garbage collector.
    expect((await new Room(store.inside).make()).dropped).toBe(0);
    expect(await kept(store, alice, ids)).toEqual(ids.slice(dropped));
  });

  test('tasks stay that have not ended, or wait for somebody', async () => {
    const store = await openStore();
    const { taskId: submitted } = await accepted(store, alice);
    const { taskId: working } = await accepted(store, alice);
    await begun(store, working);
    const { taskId: asks } = await accepted(store, alice);
    await (await begun(store, asks)).publish(outcome('INPUT_REQUIRED'));
    const gone = await ended(store);
    await limitMemoryFarBelow();
    expect((await new Room(store.inside).make()).dropped).toBe(1);
    expect(await kept(store, alice, [submitted, working, asks, gone])).toEqual([submitted, working, asks]);
  });

  test('a task stays until its webhooks have all its events', async () => {
    const store = await openStore({ pushSecrets: ['a secret'] });
    const { taskId } = await accepted(store, alice);
    await new Webhooks(store.inside).create(alice, taskId, { id: 'a', url: 'https://client.example.com/hook' });
    await (await begun(store, taskId)).publish(outcome('COMPLETED'));
    const others = await endedTasks(store, 70);
    await limitMemoryFarBelow();
    expect((await new Room(store.inside).make()).dropped).toBe(70);
    expect(await kept(store, alice, [taskId, ...others])).toEqual([taskId]);
    await redis.zrem('sw{s0}:push', `${taskId}.1`);
    expect((await new Room(store.inside).make()).dropped).toBe(1);
  });

  test('a called task stays until its caller has ended', async () => {
    const store = await openStore();
    const { taskId: host } = await accepted(store, alice);
    const turn = await begun(store, host);
    const message = userMessage('cook', { contextId: turn.start.task.contextId ?? '' });
    const call = await store.calls.place(turn, { agent: 'kitchen', submission: { message }, isDetached: false });
    if (call.verdict !== 'accepted') throw new Error(call.verdict);
    await (await begun(store, call.taskId)).publish(outcome('COMPLETED'));
    await limitMemoryFarBelow();
    expect((await new Room(store.inside).make()).dropped).toBe(0);
    expect(await kept(store, kitchen, [call.taskId])).toEqual([call.taskId]);
    await turn.publish(outcome('COMPLETED'));
    expect((await new Room(store.inside).make()).dropped).toBe(2);
  });

  test('the task of a schedule stays until the next one is made', async () => {
    const store = await openStore();
    const schedule = { at: new Date(0).toISOString(), cron: '* * * * *' };
    const acceptance = await store.tasks.accept(alice, { message: userMessage(), schedule });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    const { taskId } = acceptance;
    await new ScheduledTasks(store.inside).begin();
    await store.tasks.cancel(alice, taskId);
    await redis.zadd('sw{s0}:outbox:later', 0, `${taskId} acme/alice/echo`);
    await limitMemoryFarBelow();
    expect((await new Room(store.inside).make()).dropped).toBe(0);
    expect(await kept(store, alice, [taskId])).toEqual([taskId]);
  });

  test('tasks stay for retentionMinMs after their end', async () => {
    const store = await openStore({ retentionMinMs: 500 });
    const [taskId = ''] = await endedTasks(store, 1);
    await limitMemoryFarBelow();
    expect((await new Room(store.inside).make()).dropped).toBe(0);
    await expect.poll(async () => (await new Room(store.inside).make()).dropped).toBe(1);
    expect(await kept(store, alice, [taskId])).toEqual([]);
  });

  test('tasks of a principal above its share go before older ones of others', async () => {
    const store = await openStore();
    const few = await endedTasks(store, 10, bob);
    const many = await endedTasks(store, 100, alice);
    await new Room(store.inside).make();
    await limitMemory(1_000_000);
    const { dropped } = await new Room(store.inside).make();
    expect(dropped).toBeLessThan(90);
    expect(await kept(store, bob, few)).toEqual(few);
    expect(await kept(store, alice, many)).toEqual(many.slice(dropped));
  });

  test('with makeRoomAtPercent 0, nothing is dropped', async () => {
    const store = await openStore({ makeRoomAtPercent: 0 });
    const ids = await endedTasks(store, 2);
    await limitMemoryFarBelow();
    expect(await new Room(store.inside).make()).toMatchObject({ dropped: 0, usedShare: 0 });
    expect(await kept(store, alice, ids)).toEqual(ids);
  });
});

describe('of a dropped task', () => {
  test('readers get the same answer as for one that has expired', async () => {
    const store = await openStore();
    const message = userMessage();
    const { taskId } = await accepted(store, alice, message);
    await (await begun(store, taskId)).publish(outcome('COMPLETED'));
    await limitMemoryFarBelow();
    await new Room(store.inside).make();
    await redis.config('SET', 'maxmemory', '0');
    expect(await store.tasks.read(alice, taskId)).toBeUndefined();
    expect(await store.tasks.list(alice, { pageSize: 9 })).toMatchObject({ tasks: [], totalSize: 0 });
    expect(await store.tasks.cancel(alice, taskId)).toBe('missing');
    const more = userMessage('more', { taskId });
    expect(await store.tasks.accept(alice, { message: more })).toEqual({ verdict: 'missing' });
    await expect(store.feeds.follow(alice, taskId).next()).rejects.toThrow(TaskMissing);
    // Its messageId is free again.
    expect(await store.tasks.accept(alice, { message })).toMatchObject({ verdict: 'accepted', isDuplicate: false });
  });

  test('messages are forgotten also with quotation marks and backslashes in their ids', async () => {
    const store = await openStore();
    const message = { ...userMessage(), messageId: 'a "quoted": \\' };
    const { taskId } = await accepted(store, alice, message);
    await (await begun(store, taskId)).publish(outcome('COMPLETED'));
    await limitMemoryFarBelow();
    await new Room(store.inside).make();
    await redis.config('SET', 'maxmemory', '0');
    expect(await store.tasks.accept(alice, { message })).toMatchObject({ verdict: 'accepted', isDuplicate: false });
  });

  test('a message full of escaped quotation marks takes no longer than any other', async () => {
    const store = await openStore();
    const parts = [{ data: { messageId: '"'.repeat(10_000) } }];
    const { taskId } = await accepted(store, alice, { ...userMessage(), parts });
    await (await begun(store, taskId)).publish(outcome('COMPLETED'));
    await limitMemoryFarBelow();
    await redis.config('RESETSTAT');
    expect((await new Room(store.inside).make()).dropped).toBe(1);
    const scripts = (await redis.info('commandstats')).matchAll(/cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/g);
    // It took 3 s.
    expect(Math.max(...Array.from(scripts, ([, us]) => Number(us)))).toBeLessThan(300_000);
  });
});
