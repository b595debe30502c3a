import { Conversations } from '@switchyard/conversations';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { documentedKeys, documentedKindOf } from './support/documented-keys.ts';
import { accepted, begun } from './support/drive.ts';
import { consumeAll, keyScenarios } from './support/key-scenarios.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
/** Keys of the deployment or of BullMQ's queues, which belong to no task and stay, and those that stay for an hour or two. */
const LASTING =
  /\{agents\}:|:q:[^:]+:(?:meta|events|checked|marker|id|removed)$|\}:(?:q|checked|confirmed)$|:(?:push|orphans):marker$|:outbox:room$|:usage:spent:|\}:pace:/;
/** Tasks are kept for the whole test, however slow the machine is. */
const kept = {
  sweepAfterMs: 100,
  reclaimAfterMs: 100,
  maxAttempts: 1,
  inlineTextBytes: 64,
  maxBytesOfTenant: 1_000_000_000,
  makeRoomAtPercent: 1e-12,
  retentionMinMs: -1_000,
  budgetOfTenantPerDay: 1_000_000,
};
/** Long after the tests have played. */
const shortLived = { ...kept, retentionMs: 1, replayMs: 1, idempotencyMs: 1, usageRetentionMs: 1 };

async function keysOf(prefix: string): Promise<string[]> {
  return (await redis.keys(`${prefix}*`)).filter((key) => !LASTING.test(key)).sort();
}

/** What expires at some time has expired soon. */
async function letTimePass(prefix: string): Promise<void> {
  for (const key of await redis.keys(`${prefix}*`)) if ((await redis.pttl(key)) > 0) await redis.pexpire(key, 1);
}

test('no key is left after tasks with every kind of data and every kind of end', async () => {
  await redis.config('SET', 'maxmemory', String(2 ** 50)); // so that a trifle counts as full: see noRoom
  onTestFinished(() => redis.config('SET', 'maxmemory', '0').then(() => undefined));
  const playing = await testStore(kept);
  const { prefix } = playing.settings;
  const seen = new Set<string>();
  const recordKeys = async (): Promise<void> => {
    for (const key of await redis.keys(`${prefix}*`)) seen.add(documentedKindOf(key, prefix));
  };
  for (const play of keyScenarios) await play(playing, recordKeys);
  expect([...seen].sort()).toEqual([...documentedKeys].sort());

  const store = await testStore({ ...shortLived, prefix });
  await letTimePass(prefix);
  const consumers = await consumeAll(store);
  const isEmpty = async (): Promise<boolean> => {
    await Promise.all([
      store.outbox.sweep(),
      store.orphans.end(new Conversations(store.inside)),
      store.agentIndexes.trim(),
      store.deliveries.claim(),
    ]);
    return (await keysOf(prefix)).length === 0;
  };
  await until(isEmpty, { what: 'no key is left' }).catch(async () => expect(await keysOf(prefix)).toEqual([]));
  await Promise.all(consumers.map((consumer) => consumer.stop()));
});

test('expired tasks are removed from the index of a principal that always has an open task', async () => {
  const store = await testStore(kept);
  const { prefix } = store.settings;
  const index = `${prefix}{s0}:x:acme/alice/echo`;
  await accepted(store, alice); // never ends, so that the index does not expire
  for (let n = 0; n < 5; n++) {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true });
  }
  const failed = (): Promise<string[]> => redis.zrangebylex(index, '[F', '(G');
  expect(await failed()).toHaveLength(5);
  const later = await testStore({ ...shortLived, prefix });
  const areRemoved = async (): Promise<boolean> => {
    const { taskId } = await accepted(later, alice);
    await later.tasks.cancel(alice, taskId);
    return (await failed()).length === 0;
  };
  await until(areRemoved, { what: 'the failed tasks are removed, although no other task fails' });
});
