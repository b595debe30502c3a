import { randomUUID } from 'node:crypto';
import { defineAgent } from '@switchyard/agent';
import { Store } from '@switchyard/store';
import { Redis } from 'ioredis';
import { expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { Worker, type WorkerEvent } from '../src/index.ts';

test('an abandoned question is canceled in time, although another task cannot be swept', async () => {
  const prefix = uniquePrefix();
  const redisUrl = inject('redisUrl');
  const redis = new Redis(redisUrl);
  const store = new Store({ redisUrl, prefix, interruptedRetentionMs: 1 }, () => undefined);
  await store.start();
  const card = { name: 'Asks', description: 'Asks back.', version: '1.0.0', skills: [] };
  const agent = defineAgent({ id: 'asks', card, execute: (turn) => turn.requireInput('Which?') });
  const events: WorkerEvent[] = [];
  const emit = (event: WorkerEvent): void => void events.push(event);
  const worker = new Worker({ drainMs: 0, sweepEveryMs: 20 }, { store, agents: [agent], emit });
  try {
    await redis.set(`${prefix}{s0}:t:broken`, 'no record');
    await redis.zadd(`${prefix}{s0}:outbox`, 0, 'broken');
    await worker.start();
    const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'asks' };
    const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
    const acceptance = await store.tasks.accept(scope, { message });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    const { taskId } = acceptance;
    const isCanceled = async () => (await store.tasks.read(scope, taskId))?.state === 'TASK_STATE_CANCELED';
    await until(isCanceled, { what: 'the task is canceled' });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'error', where: 'sweep' }));
    await expect.poll(() => events).toContainEqual({ kind: 'overdue-canceled', canceled: 1 });
    expect(events.filter(({ kind }) => kind === 'swept')).toEqual([]);
  } finally {
    await worker.stop();
    await store.stop();
    redis.disconnect();
  }
});
