import { expect, test } from 'vitest';
import { failOverTo } from '../../../tests/support/fail-over.ts';
import { until } from '../../../tests/support/until.ts';
import { Observer } from '../src/deployment/observer.ts';
import { Shards } from '../src/deployment/shards.ts';
import { type FeedItem, formatEventId, type OpenTurn, parseEventId, TaskMissing } from '../src/index.ts';
import { Appends } from '../src/turns/appends.ts';
import { OpenTurn as TurnAgain } from '../src/turns/open-turn.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

// What readers receive of a task whose latest events a fail-over has lost, and which continued without them.

const redis = testRedis();
const store = await testStore({ feedCheckMs: 100 });

const chunk = async (turn: OpenTurn, text: string): Promise<void> => {
  await turn.publish({
    kind: 'artifact',
    artifact: { artifactId: 'r', parts: [{ text }] },
    append: true,
    lastChunk: false,
  });
  await turn.flush();
};
const complete = (turn: OpenTurn): Promise<void> =>
  turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message: agentMessage('done') });
const keysOf = (taskId: string): string[] => {
  const task = `${store.settings.prefix}{s0}:t:${taskId}`;
  return [task, `${task}:e`, `${task}:i`];
};
const read = async (taskId: string, version?: string) => store.tasks.read(alice, taskId, { version });

/** Follows the feed in the background, and collects its items. */
function follow(taskId: string, after?: string) {
  const items: FeedItem[] = [];
  const ended = (async () => {
    const options = after === undefined ? {} : { after: parseEventId(after) };
    for await (const item of store.feeds.follow(alice, taskId, options)) items.push(item);
  })();
  // It may reject before its test waits for it.
  ended.catch(() => undefined);
  return { items, ended };
}

test('a version identifies one content: after a fail-over, other events or messages have another version', async () => {
  const { taskId } = await accepted(store, alice);
  await begun(store, taskId);
  const failOver = await failOverTo(redis, ...keysOf(taskId));
  const versions = new Set<string | undefined>();
  for (const text of ['lost', 'kept']) {
    await failOver();
    await accepted(store, alice, userMessage(text, { taskId }));
    versions.add((await read(taskId))?.version);
  }
  expect(versions.size).toBe(2);

  const begin = await failOverTo(redis, ...keysOf(taskId));
  for (const started of [2, 3]) {
    await begin();
    await chunk(await begun(store, taskId, { started }), `run ${started}`);
    versions.add((await read(taskId))?.version);
  }
  expect(versions.size).toBe(4);
  const [, lost] = [...versions].slice(-2);
  expect((await read(taskId, lost))?.task).toBeUndefined();
  expect((await read(taskId, [...versions].at(-2)))?.task?.toString()).toContain('run 3');
});

test('the begin of a turn does not change the version', async () => {
  const { taskId } = await accepted(store, alice);
  const before = await read(taskId);
  await begun(store, taskId);
  expect((await read(taskId))?.version).toBe(before?.version);
});

test('a stream that had lost events receives a snapshot before the new events, live and resumed', async () => {
  const { taskId } = await accepted(store, alice);
  const failOver = await failOverTo(redis, ...keysOf(taskId));
  const live = follow(taskId);
  await until(() => live.items.length === 1, { what: 'the task' });
  await chunk(await begun(store, taskId), 'lost');
  await until(() => live.items.length === 2, { what: 'the event that will be lost' });
  const lost = live.items[1];
  if (!lost) throw new Error('no event');

  await failOver();
  const turn = await begun(store, taskId, { started: 2 });
  await chunk(turn, 'kept');
  await chunk(turn, 'more');
  const resumed = follow(taskId, formatEventId(lost));
  const byNumber = follow(taskId, `${lost.seq}`);
  await complete(turn);
  await Promise.all([live.ended, resumed.ended, byNumber.ended]);

  const [fresh, ...rest] = live.items.slice(2);
  // A check may read the task before the new events: then the snapshot is that of the task before the lost event.
  expect(fresh?.kind).toBe('task');
  expect([fresh, ...rest].map((item) => item?.json).join()).toContain('kept');
  expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, i) => (fresh?.seq ?? 0) + 1 + i));
  expect(resumed.items[0]).toMatchObject({ kind: 'task', json: expect.stringContaining('kept') });
  // A number without an incarnation cannot show that the event was lost.
  expect(byNumber.items[0]).toMatchObject({ kind: 'event', seq: lost.seq + 1 });
  expect(live.items.at(-1)).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
});

test('a stream that had a lost event receives a snapshot also if the new event has the same number', async () => {
  const { taskId } = await accepted(store, alice);
  const failOver = await failOverTo(redis, ...keysOf(taskId));
  const live = follow(taskId);
  await until(() => live.items.length === 1, { what: 'the task' });
  await chunk(await begun(store, taskId), 'lost');
  await until(() => live.items.length === 2, { what: 'the event that will be lost' });
  await failOver();
  const turn = await begun(store, taskId, { started: 2 });
  await chunk(turn, 'kept');
  await until(() => live.items.at(-1)?.json.toString().includes('kept'), { what: 'the new event' });
  expect(live.items[2]).toMatchObject({ kind: 'task' });
  expect(live.items.at(-1)).toMatchObject({ seq: 2 });
  await complete(turn);
  await live.ended;
});

test('a stream receives a snapshot if a status was lost together with its reply, and written again', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const failOver = await failOverTo(redis, ...keysOf(taskId));
  const live = follow(taskId);
  await until(() => live.items.length === 1, { what: 'the task' });
  // Events published together are one command, which the connection sends again unchanged when its reply is lost.
  const begin = async (sender: OpenTurn): Promise<void> => {
    await Promise.all([
      sender.announce({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false }),
      chunk(sender, 'a'),
    ]);
  };
  await begin(turn);
  await until(() => live.items.length === 3, { what: 'a status with its time, and a chunk' });

  await failOver();
  const { settings } = store;
  const base = { redis, shards: new Shards(settings.prefix, 1), settings, observer: new Observer() };
  const port = { ...base, appends: new Appends(base) };
  const hooks = { onCancel: () => undefined, onFenced: () => undefined };
  const again = new TurnAgain(port, turn.start, hooks);
  await begin(again);
  await chunk(again, 'b');
  await until(() => live.items.at(-1)?.json.toString().includes('b"}'), { what: 'the next event' });
  expect(live.items[3]?.kind).toBe('task');
  await complete(again);
  await live.ended;
});

test('a stream resumed after a lost event with the number of the terminal event receives the task', async () => {
  const { taskId } = await accepted(store, alice);
  const failOver = await failOverTo(redis, ...keysOf(taskId));
  await chunk(await begun(store, taskId), 'lost');
  const lost = await read(taskId);
  if (!lost) throw new Error('no task');
  await failOver();
  await store.tasks.cancel(alice, taskId);
  const resumed = follow(taskId, formatEventId(lost));
  await resumed.ended;
  expect(resumed.items).toMatchObject([{ kind: 'task', seq: 2, state: 'TASK_STATE_CANCELED' }]);
});

test('a stream receives no further snapshot when turns begin and messages wait', async () => {
  const { taskId } = await accepted(store, alice);
  const { items, ended } = follow(taskId);
  await until(() => items.length === 1, { what: 'the task' });
  for (const job of [1, 2, 3]) {
    const turn = await begun(store, taskId, { job });
    await chunk(turn, 'one');
    await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
    await chunk(turn, 'two');
    if (job < 3) await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    else await complete(turn);
    if (job < 3) await accepted(store, alice, userMessage('next', { taskId }));
  }
  await ended;
  expect(items.map(({ kind }) => kind)).toEqual(['task', ...items.slice(1).map(() => 'event')]);
  expect(items.map(({ seq }) => seq)).toEqual(items.map((_, i) => i + 1));
  const resumed = follow(taskId, formatEventId(items[5] ?? { seq: 0 }));
  await resumed.ended;
  expect(resumed.items.map(({ kind, seq }) => `${kind} ${seq}`)).toEqual(
    items.slice(6).map(({ seq }) => `event ${seq}`),
  );
});

test('a stream whose task was deleted from Redis ends with TaskMissing', async () => {
  const { taskId } = await accepted(store, alice);
  const { items, ended } = follow(taskId);
  await until(() => items.length === 1, { what: 'the task' });
  await redis.del(...keysOf(taskId));
  await expect(ended).rejects.toThrow(TaskMissing);
  expect(store.feeds.size).toBe(0);
});
