import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { EventBuffer } from '../src/feed/event-buffer.ts';
import { type FeedEvent, taskItem } from '../src/feed/feed-item.ts';
import type { FeedItem, OpenTurn, Store } from '../src/index.ts';
import { ByteBudget } from '../src/tasks/read/byte-budget.ts';
import { accepted, begun } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

const event = (seq: number, bytes: number): FeedEvent => ({
  seq,
  incarnation: 1,
  previous: undefined,
  state: 'TASK_STATE_WORKING',
  answered: undefined,
  isPlainMessage: false,
  json: 'x'.repeat(bytes),
});

test('a reader buffers a limited number of bytes, and all readers together at most their budget', () => {
  const budget = new ByteBudget(25_000);
  const buffers = Array.from({ length: 10 }, () => new EventBuffer({ events: 64, bytes: 10_000, budget }));
  for (const buffer of buffers) for (let seq = 1; seq <= 64; seq++) buffer.push(event(seq, 1_000));
  const kept = buffers.map((buffer) => buffer.take()?.length ?? 0);
  expect(kept.slice(0, 3)).toEqual([9, 9, 4]);
  expect(kept.slice(3)).toEqual(kept.slice(3).map(() => 0));
  expect(buffers.every(({ isBehind }) => isBehind)).toBe(true);
  expect(budget.hasRoomFor(25_000)).toBe(true);
});

test('a position that was read before a snapshot does not cause another snapshot', () => {
  const buffer = new EventBuffer({ events: 64, bytes: 10_000, budget: new ByteBudget(25_000) });
  buffer.delivered({ seq: 4, incarnation: 1 });
  const { last } = buffer;
  buffer.compare({ seq: 4, incarnation: 2 }, last);
  expect(buffer.isForked).toBe(true);
  buffer.restart();
  for (const position of [{ seq: 4, incarnation: 2 }, { seq: 3 }, { seq: 9 }]) buffer.compare(position, last);
  buffer.delivered({ seq: 4, incarnation: 2 });
  expect([buffer.isForked, buffer.isBehind]).toEqual([false, false]);
  buffer.compare({ seq: 3, incarnation: 1 }, buffer.last);
  expect(buffer.isForked).toBe(true);
});

test('a reader that has not begun uses no bytes of the budget', async () => {
  const store: Store = await testStore();
  const { taskId } = await accepted(store, alice);
  const large = taskItem({ seq: 1, incarnation: 0, state: 'TASK_STATE_SUBMITTED', answered: 0 }, 'x'.repeat(50_000));
  const reader = store.feeds.follow(alice, taskId, { from: large });
  expect(store.feeds.heldBytes).toBe(0);
  expect((await reader.next()).value).toMatchObject({ kind: 'task', seq: 1 });
  expect(store.feeds.heldBytes).toBe(0);
});

test('slow readers receive every event, although their events exceed the budget', async () => {
  const store: Store = await testStore({ feedBufferBytes: 100_000 });
  const { taskId } = await accepted(store, alice);
  const turn: OpenTurn = await begun(store, taskId);
  const readers = Array.from({ length: 20 }, () => store.feeds.follow(alice, taskId));
  for (const reader of readers) expect((await reader.next()).value).toMatchObject({ kind: 'task' });
  for (let i = 0; i < 16; i++) {
    const artifact = { artifactId: `a${i}`, parts: [{ text: `${i} `.repeat(20_000) }] };
    await turn.publish({ kind: 'artifact', artifact, append: false, lastChunk: true });
  }
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  for (const reader of readers) {
    const items: FeedItem[] = await Array.fromAsync(reader);
    expect(items.map(({ kind, seq }) => `${kind} ${seq}`)).toEqual(items.map((_, i) => `event ${i + 2}`));
    expect(items).toHaveLength(17);
  }
  await until(() => store.feeds.size === 0, { what: 'all feeds have ended' });
});
