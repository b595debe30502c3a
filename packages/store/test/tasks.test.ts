import type { Task } from '@switchyard/protocol';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { InvalidPageToken, type OpenTurn, type Store } from '../src/index.ts';
import { accepted, agentMessage, beginTurn, begun, userMessage } from './support/drive.ts';
import { alice, bob, testRedis, testStore } from './support/redis.ts';

const store = await testStore({ maxInbox: 3 });
const redis = testRedis();

const read = async (taskId: string): Promise<Task> =>
  JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? 'null');
const verdict = async (...args: Parameters<typeof store.tasks.accept>): Promise<string> =>
  (await store.tasks.accept(...args)).verdict;

test('concurrent reads are not mixed up by ids and versions with separators', async () => {
  const { taskId } = await accepted(store, alice, userMessage('hi'));
  const [existing, missing] = await Promise.all([
    store.tasks.read(alice, taskId, { version: 'v  true undefined' }),
    store.tasks.read(alice, `${taskId}  true v`),
  ]);
  expect(existing?.task).toBeDefined();
  expect(missing).toBeUndefined();
});

describe('accepting a message', () => {
  test('creates a task; a read returns exactly the task of the acceptance', async () => {
    const message = userMessage('hi "there"\n😀', { metadata: { a: 1 } });
    const { taskId, contextId, task, number, isNew } = await accepted(store, alice, message);
    expect([number, isNew]).toEqual([1, true]);
    expect((await store.tasks.read(alice, taskId))?.task?.toString()).toBe(task);
    expect(await read(taskId)).toEqual({
      id: taskId,
      contextId,
      status: {
        state: 'TASK_STATE_SUBMITTED',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      history: [{ ...message, taskId, contextId }],
    });
  });

  test('stamps the status with the time of Redis', async () => {
    const { taskId } = await accepted(store, alice);
    const [seconds] = await redis.time();
    expect(Math.abs(Date.parse((await read(taskId)).status.timestamp ?? '') - Number(seconds) * 1_000)).toBeLessThan(
      2_000,
    );
  });

  test('keeps a context id of the client, including quotes', async () => {
    const contextId = 'my "context" \\ 1';
    const { taskId } = await accepted(store, alice, userMessage('hi', { contextId }));
    expect((await read(taskId)).contextId).toBe(contextId);
    await accepted(store, alice, userMessage('again', { taskId, contextId }));
    expect((await store.tasks.list(alice, { contextId, pageSize: 10 })).totalSize).toBe(1);
  });

  test('repeats the first answer for a repeated message, and refuses another body with the same id', async () => {
    const message = userMessage();
    const first = await accepted(store, alice, message);
    const again = await accepted(store, alice, message);
    expect(again).toMatchObject({
      isDuplicate: true,
      isNew: false,
      taskId: first.taskId,
      contextId: first.contextId,
      number: 1,
    });
    expect(await verdict(alice, { message: { ...message, parts: [{ text: 'other' }] } })).toBe('conflict');
    expect((await read(first.taskId)).history).toHaveLength(1);
  });

  test('answers a repeated follow-up message also after the task has ended', async () => {
    const { taskId } = await accepted(store, alice);
    const followUp = userMessage('more', { taskId });
    await accepted(store, alice, followUp);
    await store.tasks.cancel(alice, taskId);
    expect(await accepted(store, alice, followUp)).toMatchObject({ isDuplicate: true, number: 2 });
    expect(await verdict(alice, { message: userMessage('late', { taskId }) })).toBe('terminal');
  });

  test('allows two principals the same messageId, and hides their tasks from each other', async () => {
    const message = userMessage();
    const hers = await accepted(store, alice, message);
    const his = await accepted(store, bob, message);
    expect(his.taskId).not.toBe(hers.taskId);
    expect(await store.tasks.read(bob, hers.taskId)).toBeUndefined();
    expect(await store.tasks.cancel(bob, hers.taskId)).toBe('missing');
    expect(await verdict(bob, { message: userMessage('mine?', { taskId: hers.taskId }) })).toBe('missing');
    expect((await store.tasks.list(bob, { contextId: hers.contextId, pageSize: 10 })).totalSize).toBe(0);
  });

  test('refuses an unknown task, and a context of another task', async () => {
    const { taskId } = await accepted(store, alice);
    expect(await verdict(alice, { message: userMessage('x', { taskId: 'nowhere' }) })).toBe('missing');
    expect(await verdict(alice, { message: userMessage('x', { taskId, contextId: 'other' }) })).toBe(
      'context-mismatch',
    );
  });

  test('refuses messages beyond maxInbox', async () => {
    const { taskId } = await accepted(store, alice);
    for (const text of ['2', '3']) await accepted(store, alice, userMessage(text, { taskId }));
    expect(await verdict(alice, { message: userMessage('4', { taskId }) })).toBe('inbox-full');
  });

  test('with ifSeq accepts a message only if that is the last event; a new task ignores it', async () => {
    const { taskId } = await accepted(store, alice, userMessage());
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    const message = userMessage('this', { taskId });
    expect(await store.tasks.accept(alice, { message, ifSeq: 1 })).toEqual({ verdict: 'other-seq', seq: 2 });
    expect(await verdict(bob, { message, ifSeq: 1 })).toBe('missing');
    expect(await store.tasks.accept(alice, { message, ifSeq: 2 })).toMatchObject({ verdict: 'accepted', seq: 3 });
    expect(await store.tasks.accept(alice, { message, ifSeq: 2 })).toMatchObject({ isDuplicate: true });
    expect(await verdict(alice, { message: userMessage(), ifSeq: 9 })).toBe('accepted');
  });

  test('needs one command for a new task and its job', async () => {
    // A private Redis: ioredis confuses replies when commands of others arrive while MONITOR begins.
    const server = await startRedis();
    const own = await testStore({ redisUrl: server.url });
    await accepted(own, alice);
    const sent = await commandsDuring(own, () => accepted(own, alice));
    await own.stop();
    await server.stop();
    expect(sent.map((command) => command.toLowerCase())).toEqual(['evalsha']);
  });
});

describe('canceling', () => {
  test('ends a waiting task at once; a repeated cancel has the same answer', async () => {
    const { taskId } = await accepted(store, alice);
    expect(await store.tasks.cancel(alice, taskId)).toBe('canceled');
    expect(await store.tasks.cancel(alice, taskId)).toBe('canceled');
    expect((await read(taskId)).status.state).toBe('TASK_STATE_CANCELED');
  });

  test('lists the ids of unanswered messages in the metadata', async () => {
    const first = userMessage();
    const { taskId } = await accepted(store, alice, first);
    const second = userMessage('more', { taskId });
    await accepted(store, alice, second);
    await store.tasks.cancel(alice, taskId);
    const dropped = { 'switchyard.droppedMessageIds': [first.messageId, second.messageId] };
    expect((await read(taskId)).metadata).toEqual(dropped);
  });

  const cancelDuring = async ({ taskId }: { taskId: string }, lost: (turn: OpenTurn) => Promise<unknown>) => {
    const turn = await begun(store, taskId);
    const waiting = userMessage('more', { taskId });
    await accepted(store, alice, waiting);
    await store.tasks.cancel(alice, taskId);
    await lost(turn);
    const { status, metadata } = await read(taskId);
    expect(status.state).toBe('TASK_STATE_CANCELED');
    expect(metadata).toEqual({ 'switchyard.droppedMessageIds': [waiting.messageId] });
  };

  test('does not list the message of a turn that is given back, among those that nobody has begun', async () => {
    await cancelDuring(await accepted(store, alice), (turn) => turn.handBack(true));
  });

  test('does not list the message of a turn whose worker is lost, either', async () => {
    await cancelDuring(await accepted(store, alice), ({ start: { taskId } }) =>
      beginTurn(store, { taskId, started: 2, token: 'other:echo/0:1' }),
    );
  });

  test('notifies the worker of a running turn, which ends the task', async () => {
    await store.turns.listen();
    const { taskId } = await accepted(store, alice);
    const canceled = Promise.withResolvers<void>();
    const turn = await begun(store, taskId, {
      hooks: { onCancel: () => canceled.resolve(), onFenced: () => undefined },
    });
    expect(await store.tasks.cancel(alice, taskId)).toBe('requested');
    await canceled.promise;
    await turn.publish({ kind: 'status', state: 'TASK_STATE_CANCELED', settles: true });
    expect(turn.ending).toBe('idle');
    expect(await store.tasks.cancel(alice, taskId)).toBe('canceled');
  });

  test('with ifSeq cancels only if that is the last event; a requested cancel stays requested', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    expect(await store.tasks.cancel(alice, taskId, { ifSeq: 2 })).toBe('other-seq');
    expect(await store.tasks.cancel(alice, taskId, { ifSeq: 1 })).toBe('requested');
    await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
    expect(await store.tasks.cancel(alice, taskId, { ifSeq: 1 })).toBe('requested');
    await turn.publish({ kind: 'status', state: 'TASK_STATE_CANCELED', settles: true });
    expect(await store.tasks.cancel(alice, taskId, { ifSeq: 1 })).toBe('canceled');
  });

  test('is refused for a task that has ended otherwise', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    expect(await store.tasks.cancel(alice, taskId)).toBe('terminal');
  });
});

describe('reading', () => {
  test('returns no task if the caller has its version; events and waiting messages change the version', async () => {
    const { taskId } = await accepted(store, alice);
    const version = async (): Promise<string> => (await store.tasks.read(alice, taskId))?.version ?? '';
    const first = await version();
    expect(await store.tasks.read(alice, taskId, { version: first })).toMatchObject({ version: first, seq: 1 });
    expect(await store.tasks.read(alice, taskId, { version: first })).not.toHaveProperty('task');
    const turn = await begun(store, taskId);
    await accepted(store, alice, userMessage('waits', { taskId }));
    const second = await version();
    await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
    expect(new Set([first, second, await version()]).size).toBe(3);
  });

  test('reads only the version of a cached task from Redis, and hides the task from other principals', async () => {
    const { taskId } = await accepted(store, alice);
    const first = await store.tasks.read(alice, taskId);
    expect(await store.tasks.read(alice, taskId)).toEqual(first);
    expect(await store.tasks.read(bob, taskId)).toBeUndefined();
    expect(await store.tasks.read(bob, taskId, { version: 'any' })).toBeUndefined();
    await store.tasks.cancel(alice, taskId);
    expect((await read(taskId)).status.state).toBe('TASK_STATE_CANCELED');
    const ofOther = await testStore({ prefix: store.settings.prefix, readCacheBytes: 0 });
    expect(await ofOther.tasks.read(alice, taskId)).toEqual(await store.tasks.read(alice, taskId));
  });

  test('returns large artifacts completely, also while they are replaced', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const put = (letter: string): Promise<void> =>
      turn.publish({
        kind: 'artifact',
        artifact: { artifactId: 'big', parts: [{ text: letter.repeat(200_000) }] },
        append: false,
        lastChunk: false,
      });
    await put('a');
    await turn.written();
    for (const letter of 'bcdefghij') {
      const [task] = await Promise.all([read(taskId), put(letter)]);
      expect(task.artifacts?.[0]?.parts[0]?.text).toMatch(/^(.)\1{199999}$/);
    }
    await turn.flush();
    expect((await read(taskId)).artifacts?.[0]?.parts[0]?.text?.[0]).toBe('j');
  });
});

describe('listing', () => {
  const carol = { ...alice, principal: { ...alice.principal, subject: 'carol' } };
  const idsOf = (tasks: readonly string[]): string[] => tasks.map((json) => JSON.parse(json).id);

  test('returns all tasks in pages, latest status first, each once, with the exact total size', async () => {
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.push((await accepted(store, carol)).taskId);
    const seen: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await store.tasks.list(carol, { pageSize: 3, pageToken });
      expect(page.totalSize).toBe(7);
      seen.push(...idsOf(page.tasks));
      pageToken = page.nextPageToken;
      if (!pageToken) break;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    const times = await Promise.all(
      seen.map(async (id) => JSON.parse((await store.tasks.read(carol, id))?.task?.toString() ?? '').status.timestamp),
    );
    expect(times).toEqual(times.toSorted().reverse());
  });

  test('continues at the right task when the last task of the page before has moved or ended', async () => {
    const dave = { ...alice, principal: { ...alice.principal, subject: 'dave' } };
    for (let i = 0; i < 5; i++) await accepted(store, dave);
    const first = await store.tasks.list(dave, { pageSize: 2 });
    await store.tasks.cancel(dave, idsOf(first.tasks)[1] ?? '');
    const second = await store.tasks.list(dave, { pageSize: 10, pageToken: first.nextPageToken });
    expect(second.tasks).toHaveLength(3);
    expect(idsOf(second.tasks)).not.toContain(idsOf(first.tasks)[0]);
  });

  test('filters by state and time, and can leave out artifacts and history', async () => {
    const erin = { ...alice, principal: { ...alice.principal, subject: 'erin' } };
    const done = await accepted(store, erin);
    const turn = await begun(store, done.taskId);
    await turn.publish({
      kind: 'artifact',
      artifact: { artifactId: 'r', parts: [{ text: 'x' }] },
      append: false,
      lastChunk: true,
    });
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message: agentMessage('done') });
    await accepted(store, erin);
    const completed = await store.tasks.list(erin, {
      pageSize: 10,
      state: 'TASK_STATE_COMPLETED',
      historyLength: 1,
      includeArtifacts: false,
    });
    expect(idsOf(completed.tasks)).toEqual([done.taskId]);
    expect(JSON.parse(completed.tasks[0] ?? '')).not.toHaveProperty('artifacts');
    expect(JSON.parse(completed.tasks[0] ?? '').history).toHaveLength(1);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await store.tasks.list(erin, { pageSize: 10, statusTimestampAfter: later })).totalSize).toBe(0);
  });

  test('refuses an invalid page token', async () => {
    await expect(store.tasks.list(alice, { pageSize: 1, pageToken: 'nonsense!' })).rejects.toThrow(InvalidPageToken);
  });
});

/** The commands that clients (not scripts) send to keys of this store during a function. */
async function commandsDuring({ settings }: Store, run: () => Promise<unknown>): Promise<string[]> {
  const commands: string[] = [];
  const client = new Redis(settings.redisUrl);
  const monitor = await client.monitor();
  monitor.on('monitor', (_, [command, ...args]: string[], source: string) => {
    if (source !== 'lua' && args.some((arg) => arg.includes(settings.prefix))) commands.push(command ?? '');
  });
  await run();
  await client.ping();
  await until(() => commands.length > 0, { what: 'the first command is recorded' });
  monitor.disconnect();
  client.disconnect();
  return [...commands];
}
