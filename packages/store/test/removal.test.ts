import { Conversations } from '@switchyard/conversations';
import type { TurnEvent } from '@switchyard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import type { Scope, StoreSettings } from '../src/index.ts';
import { begun, userMessage } from './support/drive.ts';
import { alice, type TestStore, testRedis, testStore } from './support/redis.ts';

/** A task with everything that a task can have. */
interface FullTask {
  /** Its own, and that of the task that it called. */
  readonly ids: readonly [string, string];
  /** Keys of the deployment and of queues. */
  readonly lasting: ReadonlySet<string>;
}

const kitchen: Scope = { ...alice, agent: 'kitchen' };
const webhook = (id: string) => ({ id, url: 'https://client.example.com/hook' });
const skill = { id: 'print', hasQueue: true };
const outcome = (state: 'INPUT_REQUIRED' | 'COMPLETED'): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles: true,
});
const card = { name: 'A', description: 'A', version: '1', skills: [], defaultInputModes: [], defaultOutputModes: [] };
const announcement = (id: string) => ({
  id,
  card: { ...card, supportedInterfaces: [], capabilities: {} },
  repliesWithMessage: false,
  concurrency: 1,
});

async function acceptedBy(store: TestStore, scope: Scope, submission: Parameters<TestStore['tasks']['accept']>[1]) {
  const acceptance = await store.tasks.accept(scope, submission);
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance;
}

async function playFullTask(store: TestStore, keys: () => Promise<string[]>): Promise<FullTask> {
  await store.registry.announce([announcement('echo'), announcement('kitchen')], 'w');
  // Makes the keys that stay.
  const other = await acceptedBy(store, alice, { message: userMessage(), skill });
  await store.tasks.cancel(alice, other.taskId);
  await store.tasks.delete(alice, other.taskId);
  const lasting = new Set(await keys());

  const message = userMessage('long '.repeat(100), { messageId: 'one:"2"' });
  const schedule = { at: new Date(0).toISOString() };
  const { taskId, contextId } = await acceptedBy(store, alice, {
    message,
    schedule,
    skill,
    webhook: webhook('delivered'),
    metadata: { of: 'the request' },
    idempotencyKey: 'the first',
  });
  await store.scheduledTasks.begin();
  const first = await begun(store, taskId);
  await first.handBack(true, { kind: 'threw', message: 'no dough' });
  const second = await begun(store, taskId, { started: 2 });
  await second.publish({
    kind: 'artifact',
    artifact: { artifactId: 'a', parts: [{ text: 'x'.repeat(500) }] },
    append: false,
    lastChunk: true,
  });
  await second.publish(outcome('INPUT_REQUIRED'));

  await acceptedBy(store, alice, { message: userMessage('more', { taskId }), idempotencyKey: 'the second' });
  await acceptedBy(store, alice, { message: userMessage('and more', { taskId, messageId: 'a:b' }) });
  const turn = await begun(store, taskId, { job: 2 });
  await store.webhooks.create(alice, taskId, webhook('dead-lettered'));
  await store.steps.begin(turn, 'step pay');
  await store.steps.end(turn, 'step pay', '1');
  turn.noteModelCall({ at: new Date(0).toISOString(), model: 'm', durationMs: 1 });
  await turn.recordUsage({ model: 'small', inputTokens: 1, calls: 1 });
  const call = await store.calls.place(turn, {
    agent: 'kitchen',
    submission: { message: userMessage('cook', { contextId }) },
    isDetached: false,
  });
  if (call.verdict !== 'accepted') throw new Error(call.verdict);
  await (await begun(store, call.taskId)).publish(outcome('COMPLETED'));
  await store.conversations.open(turn, { seed: 'one', toAgent: 'kitchen', maxTurns: 3 });
  await turn.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true, deadLetterReason: 'it is bad' });
  await store.orphans.end(new Conversations(store.inside));

  await store.deliveries.claim();
  for (const number of [1, 2]) {
    const open = await store.deliveries.open({ taskId, number, job: 1, token: `t${number}` });
    if (typeof open === 'string') throw new Error(open);
    const seq = Number((await store.tasks.read(alice, taskId))?.seq);
    if (number === 1) await open.advance({ seq, pending: [] });
    else await open.deadLetter({ origin: 'https://client.example.com', reason: 'answered 400', attempts: 9 });
  }
  return { ids: [taskId, call.taskId], lasting };
}

const ways: Readonly<
  Record<string, { settings?: Partial<StoreSettings>; remove: (store: TestStore, task: FullTask) => Promise<unknown> }>
> = {
  'its client': {
    remove: async (store, { ids }) => {
      expect(await store.tasks.delete(kitchen, ids[1])).toBe('deleted');
      expect(await store.tasks.delete(alice, ids[0])).toBe('deleted');
    },
  },
  'an operator': {
    remove: async (store, { ids }) => {
      for (const id of ids) expect(await store.ops.tasks.delete(id)).toBe('deleted');
    },
  },
  'a Redis that is full': {
    settings: { makeRoomAtPercent: 1e-12, retentionMinMs: -1_000 },
    remove: async (store) => expect((await store.room.make()).dropped).toBe(2),
  },
  'its retention': {
    settings: { retentionMs: 400, replayMs: 200, idempotencyMs: 400 },
    remove: async () => undefined,
  },
};

const server = await startRedis();
const redis = testRedis(server.url);
await redis.config('SET', 'maxmemory', String(2 ** 50)); // so that a trifle counts as full

test.for(Object.entries(ways))('a task that is removed by %s leaves no key and no entry', async ([, way]) => {
  await redis.flushall();
  const store = await testStore({
    redisUrl: server.url,
    pushSecrets: ['a secret'],
    inlineTextBytes: 64,
    ...way.settings,
  });
  onTestFinished(() => store.stop());
  const keys = () => redis.keys(`${store.settings.prefix}*`);
  const task = await playFullTask(store, keys);
  await way.remove(store, task);
  const isEmpty = async (): Promise<boolean> => {
    await Promise.all([store.agentIndexes.trim(), store.deliveries.claim()]);
    return (await left(keys, task)).length === 0;
  };
  if (way.settings?.retentionMs) await until(isEmpty, { what: 'all keys expire' });
  expect(await left(keys, task)).toEqual([]);
});

/** What has stayed, besides the queues, the usage of the day and notes about how full Redis is. */
async function left(keys: () => Promise<string[]>, { lasting }: FullTask): Promise<string[]> {
  return (await keys())
    .filter((key) => !lasting.has(key) && !/\}:q:|\}:usage:|:marker$|:outbox:room$/.test(key))
    .sort();
}
