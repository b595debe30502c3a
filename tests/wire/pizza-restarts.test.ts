import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/local';
import type { Task } from '@switchyard/protocol';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transcript, userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { getTask, send } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// A conversation survives restarts of gateway, worker and Redis.

let folder: string;
let port: number;
let redis: TestRedis;
let stack: Stack;

const durableRedis = (): Promise<TestRedis> => startRedis({ appendOnly: true, folder, port });
const gateway = (): string => stack.urls[0] ?? '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-restarts-'));
  port = await freePort();
  redis = await durableRedis();
  stack = await startStack({ redisUrl: redis.url, agents: ['pizza'] });
});

afterAll(async () => {
  await stack.stop();
  await redis.stop();
  await rm(folder, { recursive: true });
});

const askedForKind = (): Promise<Task> => send(gateway(), userMessage('I want a pizza'));

async function orderPineapple(task: Task): Promise<void> {
  const completed = await send(gateway(), userMessage('Do you have pineapple?', task));
  expect(transcript(completed)).toEqual([
    'user: I want a pizza',
    'agent: What kind?',
    'user: Do you have pineapple?',
    'agent: Your Hawaiian pizza is on its way.',
  ]);
}

/**
 * Waits until all answered writes are in the file: with a busy disk, a killed Redis loses those of up to two seconds
 * (docs/guarantees.md).
 */
async function untilWritten(): Promise<void> {
  const client = new Redis(redis.url);
  const isWritten = async (): Promise<boolean> => /^aof_buffer_length:0\r$/m.test(await client.info('persistence'));
  await until(isWritten, { what: 'the append-only file has all that was answered' });
  client.disconnect();
}

async function restartRedis(): Promise<void> {
  await untilWritten();
  await redis.kill();
  redis = await durableRedis();
}

describe('the history of a conversation', () => {
  it('survives the replacement of gateway and worker', async () => {
    const task = await askedForKind();
    const old = [...stack.gateways, ...stack.workers];
    await Promise.all(old.map((process) => process.stop()));
    await Promise.all([stack.addGateway(), stack.addWorker()]);
    await orderPineapple(task);
  });

  it('survives that Redis is killed and restarted while gateway and worker run', async () => {
    const task = await askedForKind();
    await restartRedis();
    const isBack = async (): Promise<boolean> => (await getTask(gateway(), task.id)).id === task.id;
    await until(isBack, { what: 'the gateway reads the task again', timeoutMs: 15_000 });
    await orderPineapple(task);
  });

  it('survives that all processes are killed at once', async () => {
    const task = await askedForKind();
    const old = [...stack.gateways, ...stack.workers];
    await untilWritten();
    await Promise.all([redis.kill(), ...old.map((process) => process.stop(0))]);
    redis = await durableRedis();
    await Promise.all([stack.addGateway(), stack.addWorker()]);
    await orderPineapple(task);
  });
});
