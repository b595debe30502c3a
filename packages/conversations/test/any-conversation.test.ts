import { Shards } from '@switchyard/store/inside';
import { expect, test } from 'vitest';
import { accepted, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';

const store = await testStore({ retentionMs: 60_000, shards: 4 });
const redis = testRedis();
const shards = new Shards(store.settings.prefix, 4);

async function conversation(scope = alice, contextId: string = crypto.randomUUID()) {
  const { taskId } = await accepted(store, scope, userMessage('talk', { contextId }));
  const turn = await begun(store, taskId);
  const id = await store.conversations.open(turn, { seed: 'one', toAgent: 'target', maxTurns: 5 });
  const add = (seq: number, isEnd: boolean) =>
    store.conversations.append(turn, id, { seq, event: { phase: isEnd ? 'complete' : 'turn' }, nextTurn: seq, isEnd });
  return { id, taskId, contextId, addTurn: (seq: number) => add(seq, false), end: (seq: number) => add(seq, true) };
}

/** Waits for the next millisecond, because the list is ordered by milliseconds. */
function nextMillisecond(): Promise<boolean> {
  const now = Date.now();
  return until(() => Date.now() > now + 1, { what: 'the next millisecond' });
}

const idsOf = async (filter = {}): Promise<string[]> =>
  (await store.ops.conversations.list({ pageSize: 100 }, filter)).items.map(({ conversationId }) => conversationId);

test('operators list the conversations of all principals, the one with the latest event first', async () => {
  const first = await conversation();
  const second = await conversation(bob);
  const third = await conversation();
  await second.addTurn(1);
  await nextMillisecond();
  await first.addTurn(1);
  await nextMillisecond();
  await third.end(1);
  expect(await idsOf()).toEqual([third.id, first.id, second.id]);
  expect(await idsOf({ state: 'open' })).toEqual([first.id, second.id]);
  expect(await idsOf({ subject: bob.principal.subject })).toEqual([second.id]);
  expect(await idsOf({ contextId: third.contextId, tenant: alice.principal.tenant })).toEqual([third.id]);
  expect(await idsOf({ tenant: 'nobody' })).toEqual([]);
  const page = await store.ops.conversations.list({ pageSize: 2 });
  expect(page.totalSize).toBe(3);
  const rest = await store.ops.conversations.list({ pageSize: 2, pageToken: page.nextPageToken });
  expect([...page.items, ...rest.items].map(({ conversationId }) => conversationId)).toEqual(await idsOf());
  expect(await store.ops.conversations.read(second.id)).toMatchObject({
    taskId: second.taskId,
    tenant: bob.principal.tenant,
    fromAgent: 'echo',
    toAgent: 'target',
    state: 'open',
    lastSeq: 1,
  });
});

test('an expired conversation is removed from the list; the list expires with the last open conversation', async () => {
  const gone = await conversation();
  const { allConversations } = shards.of(gone.id);
  await gone.end(1);
  expect(await redis.pttl(allConversations)).toBeGreaterThan(50_000);
  await redis.zadd(allConversations, Date.now() - 61_000, gone.id);
  let next = await conversation();
  while (shards.of(next.id).allConversations !== allConversations) next = await conversation();
  expect(await redis.pttl(allConversations)).toBe(-1);
  await next.end(1);
  expect(await redis.zscore(allConversations, gone.id)).toBeNull();
});
