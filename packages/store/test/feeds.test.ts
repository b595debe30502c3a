import { fold, type StreamResponse, type Task } from '@switchyard/protocol';
import { afterAll, describe, expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import type { EventId, FeedItem, OpenTurn, Store } from '../src/index.ts';
import { TaskMissing, taskItem } from '../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, bob, testLedger, testRedis, testStore } from './support/redis.ts';

/** A private Redis, because this file cuts all subscribers, and other files may wait for a one-time notification. */
const { url: redisUrl, stop } = await startRedis();
afterAll(stop);
const store = await testStore({ redisUrl, feedCheckMs: 200 });
const redis = testRedis(redisUrl);

const complete = (turn: OpenTurn): Promise<void> =>
  turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message: agentMessage('done') });
const chunk = (turn: OpenTurn, text: string): Promise<void> =>
  turn.publish({ kind: 'artifact', artifact: { artifactId: 'r', parts: [{ text }] }, append: true, lastChunk: false });

/** Follows the feed in the background, and collects its items. */
function watch(of: Store, taskId: string, options: { after?: EventId; signal?: AbortSignal } = {}) {
  const items: FeedItem[] = [];
  const ended = (async () => {
    for await (const item of of.feeds.follow(alice, taskId, options)) items.push(item);
  })();
  return { items, ended };
}

function foldAll(items: readonly FeedItem[]): Task {
  const [first, ...rest] = items.map(({ json }): StreamResponse => JSON.parse(json.toString()));
  return rest.reduce((task, event) => fold(task, event), first?.task as Task);
}

describe('a feed', () => {
  test('begins with the task, and continues with each event in order up to the terminal one', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const { items, ended } = watch(store, taskId);
    await until(() => items.length === 1, { what: 'the snapshot' });
    for (let i = 0; i < 200; i++) await chunk(turn, `${i} `);
    await complete(turn);
    await ended;
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: 202 }, (_, i) => i + 1));
    expect(items.map(({ kind }) => kind).slice(0, 2)).toEqual(['task', 'event']);
    const stored: Task = JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '');
    expect(foldAll(items)).toEqual(stored);
  });

  test('resumes after an event, first from the stream, then live', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    for (let i = 0; i < 150; i++) await chunk(turn, `${i} `);
    await turn.flush();
    const { items, ended } = watch(store, taskId, { after: { seq: 30 } });
    await until(() => items.length === 121, { what: 'the stored events' });
    await complete(turn);
    await ended;
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: 122 }, (_, i) => i + 31));
  });

  test('that resumes after an event that is no longer stored begins with a snapshot', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    for (let i = 0; i < 20; i++) await chunk(turn, `${i} `);
    await turn.flush();
    await redis.xtrim(`${store.settings.prefix}{s0}:t:${taskId}:e`, 'MAXLEN', 5);
    const { items, ended } = watch(store, taskId, { after: { seq: 3 } });
    await until(() => items.length === 1, { what: 'the snapshot' });
    expect(items[0]).toMatchObject({ kind: 'task', seq: 21 });
    await complete(turn);
    await ended;
    expect(items.at(-1)).toMatchObject({ kind: 'event', seq: 22, state: 'TASK_STATE_COMPLETED' });
  });

  test('that resumes after an event that does not exist begins with a snapshot', async () => {
    const { taskId } = await accepted(store, alice);
    const { items, ended } = watch(store, taskId, { after: { seq: 1_000 } });
    await until(() => items.length === 1, { what: 'the snapshot' });
    expect(items[0]).toMatchObject({ kind: 'task', seq: 1 });
    await store.tasks.cancel(alice, taskId);
    await ended;
  });

  test('begins with the snapshot that its caller has read, and continues after it', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const reading = await store.tasks.read(alice, taskId);
    if (!reading?.task) throw new Error('no task');
    const from = taskItem(reading, reading.task);
    for (const text of ['1 ', '2 ']) await chunk(turn, text);
    await complete(turn);
    const items = await Array.fromAsync(store.feeds.follow(alice, taskId, { from }));
    expect(items.map(({ kind, seq }) => `${kind} ${seq}`)).toEqual(['task 1', 'event 2', 'event 3', 'event 4']);
    const ended = { ...from, state: 'TASK_STATE_COMPLETED' as const };
    expect(await Array.fromAsync(store.feeds.follow(alice, taskId, { from: ended }))).toEqual([ended]);
  });

  test('ends with the first item that meets the condition of its caller', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    for (let i = 0; i < 5; i++) await chunk(turn, `${i} `);
    await turn.flush();
    const until = ({ seq }: FeedItem): boolean => seq === 3;
    const items = await Array.fromAsync(store.feeds.follow(alice, taskId, { after: { seq: 1 }, until }));
    expect(items.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(store.feeds.size).toBe(0);
  });

  test('of an ended task consists of its snapshot', async () => {
    const { taskId } = await accepted(store, alice);
    await store.tasks.cancel(alice, taskId);
    const { items, ended } = watch(store, taskId);
    await ended;
    expect(items).toMatchObject([{ kind: 'task', state: 'TASK_STATE_CANCELED' }]);
  });

  test('ends when its signal aborts, also without events', async () => {
    const { taskId } = await accepted(store, alice);
    const stop = new AbortController();
    const { items, ended } = watch(store, taskId, { signal: stop.signal });
    await until(() => items.length === 1, { what: 'the snapshot' });
    stop.abort();
    await ended;
    expect(store.feeds.size).toBe(0);
  });

  test('does not exist for another principal, also when it is resumed', async () => {
    const { taskId } = await accepted(store, alice);
    for (const options of [{}, { after: { seq: 0 } }]) {
      const feed = store.feeds.follow(bob, taskId, options)[Symbol.asyncIterator]();
      await expect(feed.next()).rejects.toThrow(TaskMissing);
    }
  });

  test('has in each item the number of the last message whose caller is answered', async () => {
    const { taskId, number } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const second = await accepted(store, alice, userMessage('second', { taskId }));
    const { items, ended } = watch(store, taskId);
    await until(() => items.length === 1, { what: 'the snapshot' });
    await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
    await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false, answersCaller: true });
    await complete(turn);
    await complete(await begun(store, taskId, { started: 1 }));
    await ended;
    expect([number, second.number]).toEqual([1, 2]);
    expect(items.map(({ answered }) => answered)).toEqual([0, 0, 1, 1, 2]);
    expect(items.map(({ state }) => state.replace('TASK_STATE_', ''))).toEqual([
      'SUBMITTED',
      'WORKING',
      'WORKING',
      'WORKING',
      'COMPLETED',
    ]);
  });

  test('marks the event of a plain message', async () => {
    const { taskId, seq } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const { items, ended } = watch(store, taskId, { after: { seq } });
    await turn.publish({
      kind: 'status',
      state: 'TASK_STATE_COMPLETED',
      settles: true,
      isPlainMessage: true,
      message: agentMessage('hi'),
    });
    await ended;
    expect(items).toMatchObject([{ isPlainMessage: true, answered: 1 }]);
  });

  test('misses no event, not even the last, while its connection to Redis breaks repeatedly', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const readers = Array.from({ length: 20 }, () => watch(store, taskId));
    await until(() => readers.every(({ items }) => items.length === 1), { what: 'all snapshots' });
    for (let i = 0; i < 300; i++) {
      await chunk(turn, `${i} `);
      if (i % 60 === 59) await cutSubscribers();
    }
    await cutSubscribers();
    await complete(turn);
    await Promise.all(readers.map(({ ended }) => ended));
    const expected = Array.from({ length: 302 }, (_, i) => i + 1);
    for (const { items } of readers) expect(items.map(({ seq }) => seq)).toEqual(expected);
  });
});

describe('a task whose id was pre-subscribed', () => {
  const { prefix } = store.settings;

  /** Accepts a message with a pre-subscribed id, as soon as one is ready. */
  async function presubscribed(of = store): Promise<{ turn: OpenTurn; items: () => Promise<FeedItem[]> }> {
    const message = userMessage();
    const preSubscription = await until(() => of.feeds.presubscribe(alice, { message }), { what: 'an id is ready' });
    const acceptance = await of.tasks.accept(alice, { message, reservedId: preSubscription.taskId });
    expect(acceptance).toMatchObject({ isNew: true, taskId: preSubscription.taskId, seq: 1 });
    return {
      turn: await begun(of, preSubscription.taskId),
      items: () =>
        Array.fromAsync(of.feeds.follow(alice, preSubscription.taskId, { after: { seq: 1 }, preSubscription })),
    };
  }

  test('is followed from its first event on, also after its end, without reading from Redis', async () => {
    const ledger = await testLedger(redisUrl);
    const withoutChecks = await testStore({ redisUrl: ledger.url, feedCheckMs: 60_000 });
    const { turn, items } = await presubscribed(withoutChecks);
    for (let i = 0; i < 5; i++) await chunk(turn, `${i} `);
    await complete(turn);
    let received: FeedItem[] = [];
    const follow = async (): Promise<void> => {
      received = await items();
    };
    expect((await ledger.during(follow)).commands).toEqual(['sunsubscribe']);
    expect(received.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(received.at(-1)).toMatchObject({ state: 'TASK_STATE_COMPLETED', answered: 1 });
  });

  test('can have more events before it is followed than are buffered', async () => {
    const { turn, items } = await presubscribed();
    for (let i = 0; i < 200; i++) await chunk(turn, `${i} `);
    await complete(turn);
    expect((await items()).map(({ seq }) => seq)).toEqual(Array.from({ length: 201 }, (_, i) => i + 2));
  });

  test('misses no event if the connection breaks before it is followed', async () => {
    const withoutChecks = await testStore({ redisUrl, feedCheckMs: 60_000 });
    const { turn, items } = await presubscribed(withoutChecks);
    await cutSubscribers();
    await complete(turn);
    expect((await items()).map(({ seq }) => seq)).toEqual([2]);
  });

  test('but is not created is unsubscribed', async () => {
    const preSubscription = await until(() => store.feeds.presubscribe(alice, { message: userMessage() }), {
      what: 'an id is ready',
    });
    const channel = `${prefix}{s0}:t:${preSubscription.taskId}:e`;
    await until(async () => (await redis.pubsub('SHARDNUMSUB', channel))[1] === 1, {
      what: 'the channel is subscribed',
    });
    preSubscription[Symbol.dispose]();
    await until(async () => (await redis.pubsub('SHARDNUMSUB', channel))[1] === 0, {
      what: 'the channel is unsubscribed',
    });
  });
});

async function cutSubscribers(): Promise<void> {
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
}
