import { afterAll, expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import type { OpenTurn } from '../src/index.ts';
import { accepted, begun } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

/** Of its own: it cuts its subscribers. */
const { url: redisUrl, stop } = await startRedis();
afterAll(stop);
const redis = testRedis(redisUrl);
/** It looks for what it missed when its connection comes back: a look in between may be before an event's arrival. */
const store = await testStore({ redisUrl, feedCheckMs: 60_000 });
const appended: number[] = [];
const gaps: string[] = [];
const lags: number[] = [];
store.observe({
  appended: (ms) => appended.push(ms),
  gapFilled: (from) => gaps.push(from),
  arrived: (lagMs) => lags.push(lagMs),
});

const status = (turn: OpenTurn): Promise<void> =>
  turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });

/** Follows in the background. */
async function follow(taskId: string, after?: { seq: number }): Promise<number[]> {
  const seqs: number[] = [];
  void (async () => {
    for await (const { seq } of store.feeds.follow(alice, taskId, { after })) seqs.push(seq);
  })();
  return seqs;
}

test('an observer is told how long appends take, and the lag of one status in 64', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const seqs = await follow(taskId);
  await until(() => seqs.length === 1, { what: 'the snapshot' });
  for (let i = 0; i < 130; i++) await status(turn);
  await until(() => seqs.length === 131, { what: 'all statuses' });
  expect(appended).toHaveLength(130);
  expect(Math.min(...appended)).toBeGreaterThan(0);
  expect(lags).toHaveLength(2);
  expect(Math.max(...lags)).toBeLessThan(10_000);
});

test('what a resumed reader catches up with is no gap; what a live one missed is', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  for (let i = 0; i < 80; i++) await status(turn);
  const seqs = await follow(taskId, { seq: 2 });
  await until(() => seqs.at(-1) === 81, { what: 'what was written before' });
  await status(turn);
  await until(() => seqs.at(-1) === 82, { what: 'a live event' });
  expect(gaps).toEqual([]);
  const isMissed = async (): Promise<boolean> => {
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await status(turn);
    return gaps.length > 0;
  };
  await until(isMissed, { what: 'an event was missed' });
  expect(new Set(gaps)).toEqual(new Set(['stream']));
});
