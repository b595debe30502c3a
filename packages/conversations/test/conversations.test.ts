import { Conversations } from '@switchyard/conversations';
import type { TurnEvent } from '@switchyard/protocol';
import { type OpenTurn, TurnFenced } from '@switchyard/store';
import { describe, expect, test } from 'vitest';
import { accepted, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { ConversationMissing } from '../src/conversation.ts';

const store = await testStore({ retentionMs: 60_000, feedCheckMs: 60_000 });
const redis = testRedis();
const { principal } = alice;

const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };

async function hostTurn(contextId = crypto.randomUUID()): Promise<OpenTurn> {
  const { taskId } = await accepted(store, alice, userMessage('talk', { contextId }));
  return begun(store, taskId);
}

const open = (turn: OpenTurn, seed = 'one'): Promise<string> =>
  store.conversations.open(turn, { seed, toAgent: 'target', maxTurns: 5 });

const addTurn = (turn: OpenTurn, id: string, seq: number): Promise<void> =>
  store.conversations.append(turn, id, { seq, event: { phase: 'turn', turn: seq - 1 }, nextTurn: seq, isEnd: false });

const end = (turn: OpenTurn, id: string, seq: number): Promise<void> =>
  store.conversations.append(turn, id, { seq, event: { phase: 'complete' }, nextTurn: seq, isEnd: true });

const eventsOf = async (id: string) => (await store.conversations.events(id)).map(({ json }) => JSON.parse(json));

async function milliseconds(): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

async function endAllOrphans(): Promise<void> {
  while ((await store.orphans.end(new Conversations(store.inside))) > 0);
}

describe('a conversation', () => {
  test('has numbered events with timestamps, and its agents, task and context', async () => {
    const turn = await hostTurn();
    const id = await open(turn);
    await addTurn(turn, id, 1);
    await end(turn, id, 2);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await eventsOf(id)).toEqual([
      { seq: 1, timestamp, phase: 'turn', turn: 0 },
      { seq: 2, timestamp, phase: 'complete' },
    ]);
    const { taskId, task } = turn.start;
    expect(await store.conversations.read(principal, id)).toMatchObject({
      id,
      contextId: task.contextId,
      fromAgent: 'echo',
      toAgent: 'target',
      maxTurns: 5,
      taskId,
      seq: 2,
      isComplete: true,
    });
  });

  test('is continued by a retried turn, and has each event once', async () => {
    const first = await hostTurn();
    const id = await open(first);
    await addTurn(first, id, 1);
    await addTurn(first, id, 1);
    const again = await begun(store, first.start.taskId, { started: 2 });
    expect(await open(again)).toBe(id);
    await addTurn(again, id, 1);
    await addTurn(again, id, 2);
    await end(again, id, 3);
    await addTurn(again, id, 4);
    expect((await eventsOf(id)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('cannot be written by a turn that was taken over', async () => {
    const fenced = await hostTurn();
    const id = await open(fenced);
    await begun(store, fenced.start.taskId, { started: 2 });
    await expect(addTurn(fenced, id, 1)).rejects.toThrow(TurnFenced);
    await expect(open(fenced, 'two')).rejects.toThrow(TurnFenced);
    expect(await eventsOf(id)).toEqual([]);
  });

  test('cannot be read by an id that resembles another key', async () => {
    const turn = await hostTurn();
    const id = await open(turn, 'ids');
    for (const other of [`${id}:e`, `${id}%3Ae`, '%', ':'])
      expect(await store.conversations.read(alice.principal, other)).toBeUndefined();
  });

  test('does not exist for another principal', async () => {
    const turn = await hostTurn();
    const id = await open(turn);
    expect(await store.conversations.read(bob.principal, id)).toBeUndefined();
    await expect(store.conversations.follow(bob.principal, id).next()).rejects.toThrow(ConversationMissing);
    const { contextId = '' } = turn.start.task;
    expect(await store.conversations.list(bob.principal, { contextId, limit: 10 })).toEqual([]);
  });

  test('gets an error event and an end event if its task ends before it', async () => {
    const turn = await hostTurn();
    const ids = [await open(turn, 'one'), await open(turn, 'two')];
    await addTurn(turn, ids[0] ?? '', 1);
    await turn.publish(completed);
    await endAllOrphans();
    const [left, unopened] = await Promise.all(ids.map(eventsOf));
    const error = 'The task that held the conversation has ended.';
    expect(left?.slice(1)).toMatchObject([
      { seq: 2, phase: 'error', turn: 1, fromAgent: 'target', toAgent: 'echo', error, conversationId: ids[0] },
      { seq: 3, phase: 'complete', fromAgent: 'echo', toAgent: 'target', conversationId: ids[0] },
    ]);
    expect(unopened).toMatchObject([{ phase: 'error', turn: 0, fromAgent: 'echo' }, { phase: 'complete' }]);
  });

  test('is listed in its context: open conversations first, then ended ones, latest first', async () => {
    const contextId = crypto.randomUUID();
    const turn = await hostTurn(contextId);
    const [a = '', b = '', c = ''] = [await open(turn, 'a'), await open(turn, 'b'), await open(turn, 'c')];
    await end(turn, a, 1);
    const ended = await milliseconds();
    await until(async () => (await milliseconds()) > ended, { what: 'the next millisecond' });
    await end(turn, c, 1);
    const listed = await store.conversations.list(principal, { contextId, limit: 10 });
    expect(listed.map(({ id }) => id)).toEqual([b, c, a]);
  });

  test('expires with all its keys after its end', async () => {
    const contextId = crypto.randomUUID();
    const turn = await hostTurn(contextId);
    const [one, two] = [await open(turn, 'one'), await open(turn, 'two')];
    await end(turn, one, 1);
    const index = `${store.settings.prefix}{s0}:y:acme/alice:${contextId}`;
    expect(await redis.pttl(index)).toBe(-1);
    await end(turn, two, 1);
    const keys = [index, ...(await redis.keys(`*:v:${one}*`)), ...(await redis.keys(`*:v:${two}*`))];
    expect(keys).toHaveLength(5);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });
});

describe('a follower of a conversation', () => {
  test('receives the earlier events, the live ones, and the end', async () => {
    const turn = await hostTurn();
    const id = await open(turn);
    await addTurn(turn, id, 1);
    const seqs: number[] = [];
    const followed = (async () => {
      for await (const { seq } of store.conversations.follow(principal, id)) seqs.push(seq);
    })();
    await until(() => seqs.length === 1, { what: 'the first event' });
    await addTurn(turn, id, 2);
    await until(() => seqs.length === 2, { what: 'the second event' });
    await end(turn, id, 3);
    await followed;
    expect(seqs).toEqual([1, 2, 3]);
  });

  test('continues after the given event', async () => {
    const turn = await hostTurn();
    const id = await open(turn);
    for (const seq of [1, 2, 3]) await addTurn(turn, id, seq);
    await end(turn, id, 4);
    const items = await Array.fromAsync(store.conversations.follow(principal, id, { after: 2 }));
    expect(items.map(({ seq }) => seq)).toEqual([3, 4]);
    expect(await Array.fromAsync(store.conversations.follow(principal, id, { after: 4 }))).toEqual([]);
  });

  test('stops when its signal aborts, and unsubscribes', async () => {
    const turn = await hostTurn();
    const id = await open(turn);
    const stop = new AbortController();
    const followed = Array.fromAsync(store.conversations.follow(principal, id, { signal: stop.signal }));
    const channel = `${store.settings.prefix}{s0}:v:${id}:e`;
    const subscribers = async () => (await redis.pubsub('SHARDNUMSUB', channel))[1];
    await until(async () => (await subscribers()) === 1, { what: 'a subscription' });
    stop.abort();
    expect(await followed).toEqual([]);
    await until(async () => (await subscribers()) === 0, { what: 'no subscription' });
  });
});
