import { expect, test } from 'vitest';
import type { OpenTurn, Store, TurnEvent } from '../src/index.ts';
import { accepted, begun } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };

async function turns(store: Store, count: number): Promise<OpenTurn[]> {
  const tasks = await Promise.all(Array.from({ length: count }, () => accepted(store, alice)));
  return Promise.all(tasks.map(({ taskId }) => begun(store, taskId)));
}

/** Calls of scripts in which Redis wrote the outcomes of all of them, at the same time. */
async function scriptsToComplete(all: readonly OpenTurn[]): Promise<number> {
  const calls = async (): Promise<number> =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
  await Promise.all(all.slice(0, 1).map((turn) => turn.publish(completed))); // the script is known from now on
  const before = await calls();
  await Promise.all(all.slice(1).map((turn) => turn.publish(completed)));
  return (await calls()) - before;
}

test('outcomes of turns that end together are written by one script, sixteen at most', async () => {
  const all = await turns(await testStore(), 41);
  expect(await scriptsToComplete(all)).toBe(3);
  expect(all.map(({ ending }) => ending)).toEqual(all.map(() => 'drained'));
});

test('one of them that cannot be written leaves the others as they are', async () => {
  const store = await testStore();
  const all = await turns(store, 4);
  const [broken] = all;
  const inbox = `${store.settings.prefix}{s0}:t:${broken?.start.taskId}:i`;
  await redis.set(inbox, 'no list');
  const ends = await Promise.allSettled(all.map((turn) => turn.publish(completed)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(all.map(({ ending }) => ending)).toEqual([undefined, 'drained', 'drained', 'drained']);
  for (const { start } of all.slice(1)) {
    const state = await redis.hget(`${store.settings.prefix}{s0}:t:${start.taskId}`, 'state');
    expect(state).toBe('C');
  }
});
