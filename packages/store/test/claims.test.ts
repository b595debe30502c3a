import { Conversations } from '@switchyard/conversations';
import { Deliveries } from '@switchyard/push';
import { ScheduledTasks } from '@switchyard/schedules';
import { describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { Store, Submission } from '../src/index.ts';
import { type Accepted, accepted, begun, userMessage } from './support/drive.ts';
import { alice, type TestStore, testRedis, testStore } from './support/redis.ts';

// Work that processes claim from sorted sets. Damaged members, as many as fit into one claim and more, are due before a
// sound one: the sound one is worked on, and the damaged ones are reported and wait.

const redis = testRedis();
const DAMAGED = 210;

interface Work {
  /** The sorted set, after the shard's prefix. */
  readonly set: string;
  readonly settings: Partial<Store['settings']>;
  /** Makes the sound member, which is due. @returns whether it was worked on */
  readonly prepare: (store: Store) => Promise<() => Promise<boolean>>;
  readonly member: (id: string) => string;
  /** The key of a member that gets another type. */
  readonly key: (id: string) => string;
  /** Works on what is due. @throws the errors */
  readonly run: (store: TestStore) => Promise<unknown>;
}

async function acceptedWith(store: Store, more: Partial<Submission>): Promise<Accepted> {
  const acceptance = await store.tasks.accept(alice, { message: userMessage(), ...more });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance;
}
const stateOf = async (store: Store, taskId: string, agent = 'echo'): Promise<string | undefined> =>
  (await store.tasks.read({ ...alice, agent }, taskId))?.state;
const status = (state: 'INPUT_REQUIRED' | 'FAILED') =>
  ({ kind: 'status', state: `TASK_STATE_${state}`, settles: true }) as const;

const works: Readonly<Record<string, Work>> = {
  'deliveries to webhooks': {
    set: 'push',
    settings: {},
    member: (id) => `${id}.1`,
    key: (id) => `t:${id}:w`,
    prepare: async (store) => {
      await acceptedWith(store, { webhook: { id: 'a', url: 'https://client.example.com/hook' } });
      return async () => (await new Deliveries(store.inside).waiting()) === 1;
    },
    run: (store) => new Deliveries(store.inside).claim(),
  },
  'tasks that have waited for their client for too long': {
    set: 'outbox:interrupted',
    settings: { interruptedRetentionMs: 1 },
    member: (id) => id,
    key: (id) => `t:${id}`,
    prepare: async (store) => {
      const { taskId } = await accepted(store, alice);
      await (await begun(store, taskId)).publish(status('INPUT_REQUIRED'));
      return async () => (await stateOf(store, taskId)) === 'TASK_STATE_CANCELED';
    },
    run: (store) => store.interrupted.endOverdue(),
  },
  'tasks whose caller has ended': {
    set: 'outbox:orphans',
    settings: {},
    member: (id) => `${id} w acme/alice/kitchen`,
    key: (id) => `t:${id}`,
    prepare: async (store) => {
      const host = await begun(store, (await accepted(store, alice)).taskId);
      const message = userMessage('cook', { contextId: host.start.task.contextId ?? '' });
      const placed = await store.calls.place(host, { agent: 'kitchen', submission: { message }, isDetached: false });
      if (placed.verdict !== 'accepted') throw new Error(placed.verdict);
      await host.publish(status('FAILED'));
      return async () => (await stateOf(store, placed.taskId, 'kitchen')) === 'TASK_STATE_CANCELED';
    },
    run: (store) => store.orphans.end(new Conversations(store.inside)),
  },
  'scheduled tasks': {
    set: 'outbox:later',
    settings: {},
    member: (id) => `${id} acme/alice/echo`,
    key: (id) => `t:${id}`,
    prepare: async (store) => {
      await acceptedWith(store, { schedule: { at: new Date(Date.now() - 1_000).toISOString() } });
      return async () => (await store.queue.waiting('echo')) === 1;
    },
    run: async (store) => {
      const { errors } = await new ScheduledTasks(store.inside).begin();
      if (errors.length > 0) throw errors[0];
    },
  },
  'tasks whose job was lost': {
    set: 'outbox',
    settings: { sweepAfterMs: 1 },
    member: (id) => id,
    key: (id) => `t:${id}`,
    prepare: async (store) => {
      await accepted(store, alice);
      await redis.del(...(await redis.keys(`${store.settings.prefix}{s0}:q:echo:*`)));
      return async () => (await store.queue.waiting('echo')) === 1;
    },
    run: (store) => store.outbox.sweep(),
  },
};

describe.each(Object.entries(works))('%s', (_, { set, settings, prepare, member, key, run }) => {
  test('are worked on behind members whose key has another type; those are reported, and set aside', async () => {
    const store = await testStore(settings);
    const root = `${store.settings.prefix}{s0}:`;
    const isDone = await prepare(store);
    const ids = Array.from({ length: DAMAGED }, (__, n) => `damaged${n}`);
    await redis.mset(ids.flatMap((id) => [root + key(id), 'no record']));
    await redis.zadd(root + set, ...ids.flatMap((id, n) => [n - DAMAGED, member(id)]));
    await until(async () => (await redis.zcount(root + set, '-inf', Date.now())) > DAMAGED, {
      what: 'the sound member is due',
    });
    // On a busy machine the damaged ones may take so long that the claim of the sound one ends: the next run has it.
    const errors: unknown[] = [];
    const runOnce = () => run(store).catch((error: unknown) => errors.push(error));
    const isWorkedOn = async () => {
      await runOnce();
      return isDone();
    };
    await until(isWorkedOn, { what: 'the sound member is worked on' });
    expect(errors).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/damaged\d+.* is set aside for 60 s: .*WRONGTYPE/) }),
    );
    for (const id of ids) expect(await redis.zscore(root + set, member(id))).not.toBeNull();
    await run(store);
  });
});
