import type { TurnEvent } from '@switchyard/protocol';
import { WritesLost } from '@switchyard/store/inside';
import { describe, expect, test } from 'vitest';
import { failOverTo } from '../../../tests/support/fail-over.ts';
import { type OpenTurn, TurnFenced } from '../src/index.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { longAgo } from './support/runs.ts';

const redis = testRedis();
const store = await testStore();
const chunk = (text: string): TurnEvent => ({
  kind: 'artifact',
  artifact: { artifactId: 'a', name: 'Report', parts: [{ text }] },
  append: true,
  lastChunk: false,
});

test('a turn whose events a fail-over lost cannot continue; it runs again without spending an attempt', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const key = `${store.settings.prefix}{s0}:t:${taskId}`;
  const failOver = await failOverTo(redis, key, `${key}:e`);
  await turn.publish(chunk('lost'));
  await turn.flush();
  await failOver();
  const before = await redis.hgetall(key);

  await turn.publish(chunk('late'));
  await turn.flush();
  await expect(turn.publish(chunk('later'))).rejects.toThrow(WritesLost);
  expect(await redis.hgetall(key)).toEqual(before);
  expect(await turn.handBack(false)).toBe('given-back');

  const again = await begun(store, taskId, { started: 2 });
  expect(again.start.attempt).toBe(1);
  await again.publish(chunk('whole'));
  await again.flush();
  const task = JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '{}');
  expect(task.artifacts).toEqual([{ artifactId: 'a', name: 'Report', parts: [{ text: 'whole' }] }]);
});

describe('a turn whose last events a fail-over lost', () => {
  const working: TurnEvent = { kind: 'status', state: 'TASK_STATE_WORKING', settles: false };
  const waits = { dueMs: Number.POSITIVE_INFINITY, events: [{ name: 'paid' }], waits: [{ event: 'paid' }] };
  const closings: Readonly<Record<string, (turn: OpenTurn) => Promise<unknown>>> = {
    'is not suspended': (turn) => turn.suspend(waits),
    'does not end while its task waits': (turn) => turn.end(),
    'is not given up': (turn) =>
      turn.publish({ ...working, state: 'TASK_STATE_FAILED', settles: true, deadLetterReason: 'why' }),
  };

  test.each(Object.entries(closings))('%s: it runs again', async (_name, close) => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const key = `${store.settings.prefix}{s0}:t:${taskId}`;
    await turn.publish({ ...working, state: 'TASK_STATE_AUTH_REQUIRED' });
    const failOver = await failOverTo(redis, key, `${key}:e`);
    await turn.publish({ ...working, state: 'TASK_STATE_AUTH_REQUIRED' });
    await failOver();
    await expect(close(turn)).rejects.toThrow(WritesLost);
    expect(await turn.handBack(false)).toBe('given-back');
    expect((await begun(store, taskId, { started: 2 })).start.attempt).toBe(1);
  });

  test('keeps no later result without one that it knew', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const key = `${store.settings.prefix}{s0}:t:${taskId}`;
    await store.steps.begin(turn, 'one');
    const failOver = await failOverTo(redis, key, `${key}:s`);
    await store.steps.begin(turn, 'beside');
    await store.steps.end(turn, 'one', '1');
    await failOver();
    await expect(store.steps.end(turn, 'beside', '1')).rejects.toThrow(WritesLost);
    await expect(store.steps.begin(turn, 'two')).rejects.toThrow(WritesLost);
    await expect(store.waits.begin(turn, { key: 'event paid 1', event: 'paid' })).rejects.toThrow(WritesLost);
    await expect(store.waits.callback(turn, 'callback paid 1', 'paid')).rejects.toThrow(WritesLost);
    expect(await turn.handBack(false)).toBe('given-back');
    const again = await begun(store, taskId, { started: 2 });
    expect((await store.steps.begin(again, 'one')).verdict).toBe('run');
    expect((await store.steps.begin(again, 'two')).verdict).toBe('run');
  });

  test('is not suspended without the wait that it began, and perhaps a callback URL', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const key = `${store.settings.prefix}{s0}:t:${taskId}`;
    await store.waits.callback(turn, 'callback paid 1', 'paid');
    const failOver = await failOverTo(redis, key, `${key}:e`, `${key}:s`);
    const again = await store.waits.begin(turn, { key: 'event paid 1', event: 'paid' });
    expect(again.verdict).toBe('waits');
    await failOver();
    await expect(turn.suspend(waits)).rejects.toThrow(WritesLost);
    await store.waits.begin(turn, { key: 'event paid 1', event: 'paid' });
    expect(await turn.suspend(waits)).toBe('suspended');
  });
});

describe('a run whose begin a fail-over lost', () => {
  /** Two runs of one turn: Redis has lost the begin of the first when the second begins. */
  async function twoRuns(): Promise<{ lost: OpenTurn; known: OpenTurn; key: string }> {
    const { taskId } = await accepted(store, alice);
    const key = `${store.settings.prefix}{s0}:t:${taskId}`;
    const failOver = await failOverTo(redis, key, `${key}:e`);
    const lost = await begun(store, taskId);
    await failOver();
    const known = await begun(store, taskId);
    expect([lost.start.epoch, known.start.epoch]).toEqual([1, 1]);
    return { lost, known, key };
  }

  const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };
  const authRequired: TurnEvent = { kind: 'status', state: 'TASK_STATE_AUTH_REQUIRED', settles: false };
  const writes: Readonly<Record<string, (turn: OpenTurn) => Promise<unknown>>> = {
    'an event': (turn) => turn.publish({ ...completed, state: 'TASK_STATE_WORKING', settles: false }),
    'an outcome': (turn) => turn.publish(completed),
    'a chunk': async (turn) => {
      await turn.publish(chunk('x'));
      await turn.written();
    },
    'the end of a waiting turn': async (turn) => {
      if ((await turn.end()) === 'fenced') throw new TurnFenced();
    },
    'a hand-back': async (turn) => {
      if ((await turn.handBack(false)) === 'fenced') throw new TurnFenced();
    },
    'a step': (turn) => store.steps.begin(turn, 'pay'),
    'the result of a step': (turn) => store.steps.end(turn, 'pay', '1'),
    'a memory': (turn) => store.memory.write(turn, '1'),
    'a call': (turn) =>
      store.calls.place(turn, {
        agent: 'kitchen',
        submission: { message: userMessage('cook', { contextId: turn.start.task.contextId ?? '' }) },
        isDetached: false,
      }),
    'a conversation': (turn) => store.conversations.open(turn, { seed: 'one', toAgent: 'kitchen', maxTurns: 3 }),
  };

  test.each(Object.entries(writes))('cannot write %s: the turn belongs to another run', async (_name, write) => {
    const { lost, known, key } = await twoRuns();
    await known.publish(chunk('known'));
    await known.publish(authRequired);
    const before = await redis.hgetall(key);
    await expect(write(lost)).rejects.toThrow(TurnFenced);
    // Only the field that records a late write is new.
    const { f1: _, ...after } = await redis.hgetall(key);
    expect(after).toEqual(before);
  });

  test('cannot renew the lease of the other run', async () => {
    const { taskId } = await accepted(store, alice);
    const key = `${store.settings.prefix}{s0}:t:${taskId}`;
    const failOver = await failOverTo(redis, key, `${key}:e`);
    const job = store.turns.jobOf({ queue: 'echo', taskId, job: 1, started: 1, token: 'lost' });
    let isLost = false;
    await job.begin({
      onCancel: () => undefined,
      onFenced: () => {
        isLost = true;
      },
    });
    await failOver();
    await begun(store, taskId);
    job.confirmed(longAgo);
    await job.confirm();
    expect(isLost).toBe(true);
  });
});

test('a run whose outcome a fail-over lost begins that turn again without spending an attempt', async () => {
  const { taskId } = await accepted(store, alice);
  await accepted(store, alice, userMessage('second', { taskId }));
  const key = `${store.settings.prefix}{s0}:t:${taskId}`;
  const token = 'token';
  const turn = await begun(store, taskId, { token });
  await turn.publish(chunk('one'));
  await turn.flush();
  const failOver = await failOverTo(redis, key, `${key}:e`, `${key}:i`);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  expect(turn.ending).toBe('more');
  await failOver();

  const again = await begun(store, taskId, { token, turnsBefore: 1 });
  expect(again.start).toMatchObject({ epoch: 2, attempt: 1, message: turn.start.message });
  await again.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
  expect((await store.tasks.read(alice, taskId))?.state).toBe('TASK_STATE_WORKING');
});
