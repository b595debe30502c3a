import type { Socket } from 'node:net';
import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { userMessage } from '../../../tests/support/messages.ts';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import { getTask, send, submit } from '../../../tests/support/rest.ts';
import { type GatewayProcess, type Stack, startStack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import { openStalledClient, requestWithoutReading } from '../inject/faults.ts';
import { startSingle } from '../redis/deployments.ts';

const MIB = 2 ** 20;
const READERS = 60;
const CHUNKS = 64;
const ADMIN_KEY = 'a key of at least 16 characters';

const open: AsyncDisposable[] = [];
let stack: Stack;
let gateway: GatewayProcess;
let adminUrl: string;
/** A task of 16 MiB. */
let largeTask: Task;

beforeAll(async () => {
  const redis = await startSingle();
  open.push(redis);
  stack = await startStack({
    redisUrl: redis.url,
    agents: ['loud'],
    env: {
      NODE_OPTIONS: '--max-old-space-size=512',
      LOG_LEVEL: 'info',
      ADMIN_PORT: '0',
      ADMIN_KEY,
      CLIENT_STALL_MS: '3000',
    },
  });
  open.push(stack);
  const [only] = stack.gateways;
  if (!only) throw new Error('there is no gateway');
  gateway = only;
  [, adminUrl = ''] = await gateway.waitFor(/"adminUrl":"(http[^"]+)"/);
});

afterAll(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

/** The gateway's highest use of heap and memory during an action. */
async function peaks(run: () => Promise<void>): Promise<{ heap: number; resident: number }> {
  const peak = { heap: 0, resident: 0 };
  let isOver = false;
  const sample = async (): Promise<boolean> => {
    peak.heap = Math.max(peak.heap, await heapBytes());
    peak.resident = Math.max(peak.resident, residentBytes(gateway.pid));
    return isOver;
  };
  const sampled = until(sample, { what: 'it is over', timeoutMs: 100_000, everyMs: 50 });
  try {
    await run();
  } finally {
    isOver = true;
    await sampled;
  }
  return peak;
}

const heapBytes = (): Promise<number> => measured('switchyard_gateway_nodejs_heap_size_used_bytes');
const openStreams = (): Promise<number> => measured('switchyard_open_streams');

async function measured(name: string): Promise<number> {
  const response = await fetch(`${adminUrl}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(await response.text())?.[1]);
}

const rpc = (method: string, id: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id } });

const stalledClients = (task: Task): Socket[] =>
  Array.from({ length: READERS }, () => openStalledClient(gateway.url, task.id));

describe('clients that do not read', () => {
  test('do not exhaust the 512 MiB of a gateway', async () => {
    const task = await send(gateway.url, userMessage('0'));
    const base = residentBytes(gateway.pid);
    const readers = stalledClients(task);
    const peak = await peaks(async () => {
      await submit(gateway.url, userMessage(String(CHUNKS), task));
      await until(
        async () => {
          const { artifacts = [], status } = await getTask(gateway.url, task.id);
          return artifacts.length === 1 && status.state === 'TASK_STATE_INPUT_REQUIRED';
        },
        { what: 'every chunk is published', timeoutMs: 60_000, everyMs: 500 },
      );
      await until(async () => (await openStreams()) === 0, {
        what: 'the gateway closes all streams',
        timeoutMs: 60_000,
      });
    });
    // About 160 MiB more than before; each chunk for each reader would be 960.
    expect(peak.resident - base).toBeLessThan(400 * MIB);
    for (const reader of readers) reader.destroy();
    expect(gateway.isRunning()).toBe(true);
    expect(peak.heap).toBeLessThan(512 * MIB);
    largeTask = task;
  });

  test.each([
    ['A2A 1.0 over REST', ({ id }: Task) => requestWithoutReading(gateway.url, `GET /tasks/${id}:subscribe`)],
    [
      'A2A 1.0 over JSON-RPC',
      ({ id }: Task) => requestWithoutReading(gateway.url, 'POST /', rpc('SubscribeToTask', id)),
    ],
  ])('share the task of 16 MiB with which their streams start: %s', async (_, connect) => {
    const base = residentBytes(gateway.pid);
    const readers = Array.from({ length: READERS }, () => connect(largeTask));
    const peak = await peaks(async () => {
      await until(async () => (await openStreams()) === READERS, { what: 'all are served', timeoutMs: 30_000 });
      await until(async () => (await openStreams()) === 0, {
        what: 'the gateway closes all streams',
        timeoutMs: 60_000,
      });
    });
    for (const reader of readers) reader.destroy();
    expect(gateway.isRunning()).toBe(true);
    // The task for each reader would be 960.
    expect(peak.resident - base).toBeLessThan(200 * MIB);
  });

  test.each([
    ['0.3 over JSON-RPC', ({ id }: Task) => requestWithoutReading(gateway.url, 'POST /', rpc('tasks/resubscribe', id))],
    ['0.3 over REST', ({ id }: Task) => requestWithoutReading(gateway.url, `GET /v1/tasks/${id}:subscribe`)],
  ])('are refused when each needs its own copy of the task and the limit is reached: %s', async (_, connect) => {
    const base = residentBytes(gateway.pid);
    const readers = Array.from({ length: READERS }, () => connect(largeTask));
    const peak = await peaks(async () => {
      await until(async () => (await openStreams()) > 0, { what: 'some are served', timeoutMs: 30_000 });
      await until(async () => (await openStreams()) === 0, {
        what: 'the gateway closes all streams',
        timeoutMs: 60_000,
      });
    });
    for (const reader of readers) reader.destroy();
    expect(gateway.isRunning()).toBe(true);
    expect(peak.resident - base).toBeLessThan(450 * MIB);
  });
});
