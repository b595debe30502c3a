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

/** Calls of a script in which Redis is given the outcomes of all of them, at the same time. */
async function scriptsToComplete(all: readonly OpenTurn[]): Promise<number> {
  const ids = all.map(({ start }) => start.taskId);
  const monitor = await redis.duplicate().monitor();
  let calls = 0;
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    if (args[1] === ids[0]) see();
    if (/^eval/i.test(args[0] ?? '') && source !== 'lua' && args.some((arg) => ids.includes(arg))) calls++;
  });
  await Promise.all(all.map((turn) => turn.publish(completed)));
  await redis.echo(ids[0] ?? ''); // what came before it has been seen when this is
  await seen;
  monitor.disconnect();
  return calls;
}

test('outcomes of turns that end together are written by one script, sixteen at most', async () => {
  const store = await testStore();
  const [known, ...all] = await turns(store, 41);
  await known?.publish(completed); // Redis knows the script from now on
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
