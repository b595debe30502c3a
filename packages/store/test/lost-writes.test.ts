import { expect, test } from 'vitest';
import type { TurnEvent } from '../src/index.ts';
import { WritesLost } from '../src/redis/outage.ts';
import { accepted, begun } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const store = await testStore();
const chunk = (text: string): TurnEvent => ({
  kind: 'artifact',
  artifact: { artifactId: 'a', name: 'Report', parts: [{ text }] },
  append: true,
  lastChunk: false,
});

/** Sets keys back to what they were, as a replica does that is promoted before it had the latest writes. */
async function snapshotOf(...keys: string[]): Promise<() => Promise<void>> {
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return async () => {
    await redis.del(...keys);
    await Promise.all(keys.map((key, i) => dumps[i] && redis.restore(key, 0, dumps[i])));
  };
}

test('a turn whose events a fail-over lost cannot go on as if they were there; it runs again, and no attempt is spent', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const key = `${store.settings.prefix}{s0}:t:${taskId}`;
  const failOver = await snapshotOf(key, `${key}:e`);
  await turn.publish(chunk('lost'));
  await turn.flush();
  await failOver();
  const before = await redis.hgetall(key);

  await turn.publish(chunk('late'));
  await turn.flush();
  await expect(turn.publish(chunk('later'))).rejects.toThrow(WritesLost);
  expect(await redis.hgetall(key)).toEqual(before);
  expect(await turn.release(false)).toBe('released');

  const again = await begun(store, taskId, { started: 2 });
  expect(again.start.attempt).toBe(1);
  await again.publish(chunk('whole'));
  await again.flush();
  const task = JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '{}');
  expect(task.artifacts).toEqual([{ artifactId: 'a', name: 'Report', parts: [{ text: 'whole' }] }]);
});
