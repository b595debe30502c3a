import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, bob, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
/** Of the deployment, or of BullMQ's queues: not of any task. */
const LASTING = /\{agents\}:|:q:[^:]+:(?:meta|events|stalled-check|stalled|marker|id)$/;
const brief = {
  retentionMs: 400,
  replayMs: 200,
  idempotencyMs: 400,
  leaseMs: 100,
  maxAttempts: 1,
  inlineTextBytes: 64,
};

async function keysOf(prefix: string): Promise<string[]> {
  return (await redis.keys(`${prefix}*`)).filter((key) => !LASTING.test(key)).sort();
}

test('tasks of every kind and end leave no key behind', async () => {
  const store = await testStore(brief);
  const { prefix } = store.settings;
  const finish = { kind: 'status', settles: true } as const;

  const long = await accepted(store, alice, userMessage('long '.repeat(100)));
  const turn = await begun(store, long.taskId);
  for (const text of ['a'.repeat(100), 'b'.repeat(100)]) {
    await turn.publish({
      kind: 'artifact',
      artifact: { artifactId: 'a', parts: [{ text }] },
      append: true,
      lastChunk: false,
    });
  }
  await turn.publish({
    kind: 'artifact',
    artifact: { artifactId: 'a', parts: [{ text: 'c'.repeat(100) }] },
    append: false,
    lastChunk: true,
  });
  await turn.publish({ ...finish, state: 'TASK_STATE_INPUT_REQUIRED', message: agentMessage('more?') });
  await accepted(store, alice, userMessage('more', { taskId: long.taskId }));
  await accepted(store, alice, userMessage('and more', { taskId: long.taskId }));
  const second = await begun(store, long.taskId, { job: 2 });
  await second.publish({ ...finish, state: 'TASK_STATE_FAILED', message: agentMessage('no') });

  const rejected = await accepted(store, bob);
  await (await begun(store, rejected.taskId)).publish({ ...finish, state: 'TASK_STATE_REJECTED' });
  const canceled = await accepted(store, bob);
  await store.tasks.cancel(bob, canceled.taskId);
  const abandoned = await accepted(store, bob);
  await begun(store, abandoned.taskId);
  await store.tasks.cancel(bob, abandoned.taskId);
  const dead = await accepted(store, alice);
  await begun(store, dead.taskId);
  await store.turns.begin({ taskId: dead.taskId, job: 1, started: 2, token: 'x' }, 0, ignore);

  expect(await store.deadTurns.list()).toHaveLength(1);
  expect((await keysOf(prefix)).length).toBeGreaterThan(20);
  const consumer = store.turns.consume({
    agent: 'echo',
    concurrency: 10,
    run: async () => 'done',
    onError: () => undefined,
  });
  await consumer.start();
  await until(async () => (await store.outbox.sweep()) && (await keysOf(prefix)).length === 0, {
    what: 'no key is left',
    timeoutMs: 8_000,
  }).catch(async () => expect(await keysOf(prefix)).toEqual([]));
  await consumer.stop();
});
const ignore = { onCancel: (): void => undefined, onFenced: (): void => undefined };

test('the index of a principal who never rests forgets the tasks that expired, however they ended', async () => {
  const store = await testStore(brief);
  const index = `${store.settings.prefix}{s0}:x:acme/alice/echo`;
  await accepted(store, alice); // never ends, so that the index does not expire
  for (let n = 0; n < 5; n++) {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true });
  }
  const failed = (): Promise<string[]> => redis.zrangebylex(index, '[F', '(G');
  expect(await failed()).toHaveLength(5);
  const settled = async (): Promise<boolean> => {
    const { taskId } = await accepted(store, alice);
    await store.tasks.cancel(alice, taskId);
    return (await failed()).length === 0;
  };
  await until(settled, { what: 'failed tasks forgotten, though none fails any more', timeoutMs: 5_000 });
});
