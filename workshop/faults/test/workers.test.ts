import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '../../../tests/support/messages.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { patience, until } from '../../../tests/support/until.ts';
import { type RedisDeployment, startSingle } from '../redis/deployments.ts';
import { measureRecovery } from '../trials.ts';
import type { ResilientClient } from '../workload/resilient-client.ts';
import { keepWorkers, type Scene, startScene } from '../workload/scene.ts';

let redis: RedisDeployment;
beforeAll(async () => {
  redis = await startSingle();
});
afterAll(() => redis[Symbol.asyncDispose]());

const startCrashAgents = (workers: number, env: Readonly<Record<string, string>> = {}): Promise<Scene> =>
  startScene({ redis, agents: ['crash-agent'], workers, env: { SWEEP_AFTER_MS: '3000', ...env } });

async function begin(client: ResilientClient, text: string): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] };
  return (await client.send(message, true)).id;
}

function ended(client: ResilientClient, taskId: string): Promise<string> {
  return until(
    async () => {
      const { status } = await client.read(taskId);
      const state = status.state.slice('TASK_STATE_'.length);
      return ['COMPLETED', 'FAILED'].includes(state) && `${state}: ${textOf(status.message)}`;
    },
    { what: `${taskId} ends`, timeoutMs: 60_000, everyMs: 50 },
  );
}

const pidOf = async (client: ResilientClient, taskId: string): Promise<number> =>
  Number((await client.read(taskId)).metadata?.pid ?? 0);

test('the turns of a killed worker run on another one within 5 s', async () => {
  const measured = await measureRecovery({ rounds: 1, tasks: 10 });
  expect(measured.length).toBeGreaterThan(0);
  expect(Math.max(...measured)).toBeLessThan(5_000 * patience);
});

test('when a worker was frozen beyond its lease, its turn is stopped and its writes are refused', async () => {
  await using scene = await startCrashAgents(2);
  const { stack, client } = scene;
  const taskId = await begin(client, 'wait 8000');
  const first = await until(() => pidOf(client, taskId), { what: 'the turn runs' });
  const zombie = stack.workers.find(({ pid }) => pid === first);
  zombie?.kill('SIGSTOP');
  const second = await until(async () => (await pidOf(client, taskId)) !== first && (await pidOf(client, taskId)), {
    what: 'the turn runs elsewhere',
    timeoutMs: 10_000,
  });
  zombie?.kill('SIGCONT');
  await zombie?.waitFor(/"event":"turn-fenced".*"outcome":"interrupted-taken-over"/);
  expect(await ended(client, taskId)).toBe('COMPLETED: attempt 2');
  expect(await pidOf(client, taskId)).toBe(second);
});

test('a worker whose event loop is blocked for 2.5 s keeps its turns', async () => {
  await using scene = await startCrashAgents(2);
  const { client } = scene;
  expect(await ended(client, await begin(client, 'block 2500'))).toBe('COMPLETED: attempt 1');
});

test('a message that kills its worker fails after its attempts, is a dead letter, and affects no other', async () => {
  const prefix = uniquePrefix();
  const { stack, client } = await startCrashAgents(1, { KEY_PREFIX: prefix });
  await using keeper = keepWorkers(stack);
  const innocents = await Promise.all(Array.from({ length: 5 }, () => begin(client, 'wait 1500')));
  const poison = await begin(client, 'die');
  expect(await ended(client, poison)).toContain('FAILED: The agent stopped unexpectedly 3 times');
  const others = await Promise.all(innocents.map((id) => ended(client, id)));
  expect(others.filter((end) => !end.startsWith('COMPLETED'))).toEqual([]);
  expect(keeper.restarts).toBe(3);
  const store = new Store({ redisUrl: redis.url, prefix }, () => undefined);
  await store.start();
  expect(await (await new Ops(store).deadLetters.list({ pageSize: 100 })).items).toMatchObject([
    { taskId: poison, attempts: 3, agent: 'crash-agent' },
  ]);
  await store.stop();
});

test('a turn that exhausts all memory fails after its attempts, and affects no other', async () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=96', MAX_ATTEMPTS: '2' };
  const { stack, client } = await startCrashAgents(1, env);
  await using _ = keepWorkers(stack);
  const glutton = await begin(client, 'eat');
  const harmless = await begin(client, 'wait 100');
  expect(await ended(client, glutton)).toContain('FAILED: The agent stopped unexpectedly 2 times');
  expect(await ended(client, harmless)).toContain('COMPLETED');
});
