import { Conversations } from '@switchyard/conversations';
import { expect, test } from 'vitest';
import { accepted, begun, userMessage } from '../support/drive.ts';
import { alice, testStore } from '../support/redis.ts';

const store = await testStore({ shards: 5 });

test('all data of a context is on one shard, so that one script can use it', async () => {
  for (let i = 0; i < 20; i++) {
    const contextId = crypto.randomUUID();
    const { taskId } = await accepted(store, alice, userMessage('host', { contextId }));
    const host = await begun(store, taskId);
    const submission = { message: userMessage('work', { contextId }) };
    const called = await store.calls.place(host, { agent: 'kitchen', submission, isDetached: false });
    if (called.verdict !== 'accepted') throw new Error(called.verdict);
    const id = await store.conversations.open(host, { seed: 'one', toAgent: 'kitchen', maxTurns: 3 });
    await store.memory.write(host, '1');
    await host.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true });
    await store.orphans.end(new Conversations(store.inside));
    const reading = await store.tasks.read({ ...alice, agent: 'kitchen' }, called.taskId);
    expect(reading?.state).toBe('TASK_STATE_CANCELED');
    expect(await store.conversations.read(alice.principal, id)).toMatchObject({ isComplete: true, seq: 2 });
  }
});

test('a call cannot continue a task of another context, which may be on another shard', async () => {
  const { taskId, contextId } = await accepted(store, alice);
  const host = await begun(store, taskId);
  const verdicts = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const other = await accepted(store, { ...alice, agent: 'kitchen' });
    const submission = { message: userMessage('more', { contextId, taskId: other.taskId }) };
    verdicts.add((await store.calls.place(host, { agent: 'kitchen', submission, isDetached: false })).verdict);
  }
  expect(verdicts).toEqual(new Set(['other-shard', 'context-mismatch']));
});
