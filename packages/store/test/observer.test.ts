import { afterAll, expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import type { OpenTurn } from '../src/index.ts';
import { accepted, begun } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

/** A private Redis, because this file cuts all subscribers. */
const { url: redisUrl, stop } = await startRedis();
afterAll(stop);
const redis = testRedis(redisUrl);
/** Without periodic checks, which could find an event before it arrives: only a reconnect causes a check. */
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

/** Follows the feed in the background, and collects the numbers of its events. */
async function follow(taskId: string, after?: { seq: number }): Promise<number[]> {
  const seqs: number[] = [];
  void (async () => {
    for await (const { seq } of store.feeds.follow(alice, taskId, { after })) seqs.push(seq);
  })();
  return seqs;
}

test('an observer receives the duration of each append, and the lag of every 64th status', async () => {
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

test('an event that a live reader missed is a gap; events that a resumed reader catches up with are not', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  for (let i = 0; i < 80; i++) await status(turn);
  const seqs = await follow(taskId, { seq: 2 });
  await until(() => seqs.at(-1) === 81, { what: 'the earlier events' });
  await status(turn);
  await until(() => seqs.at(-1) === 82, { what: 'a live event' });
  expect(gaps).toEqual([]);
  const isMissed = async (): Promise<boolean> => {
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await status(turn);
    return gaps.length > 0;
  };
  await until(isMissed, { what: 'a gap is reported' });
  expect(new Set(gaps)).toEqual(new Set(['stream']));
});
