import { freePort } from '@switchyard/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { type RedisDeployment, startCluster } from '../redis/deployments.ts';
import type { ResilientClient } from '../workload/resilient-client.ts';
import { type Keeper, keepWorkers, startScene } from '../workload/scene.ts';

// The operators' API, with tasks spread over the masters of a Cluster.

const KEY = 'a-key-for-operators';
/** Enough for every shard. */
const MANY = 16;
const often = { timeoutMs: 20_000, everyMs: 50 };

let redis: RedisDeployment;
let keeper: Keeper;
let client: ResilientClient;
let adminUrl = '';

beforeAll(async () => {
  redis = await startCluster();
  const { stack, client: ours } = await startScene({
    redis,
    agents: ['crash-agent'],
    workers: 2,
    env: {
      ADMIN_PORT: '0',
      ADMIN_KEY: KEY,
      SWEEP_AFTER_MS: '1000',
      MAX_ATTEMPTS: '1',
      PUSH_ALLOW_HTTP: 'true',
      PUSH_ALLOW_HOSTS: '127.0.0.0/8',
      PUSH_MAX_ATTEMPTS: '1',
    },
  });
  keeper = keepWorkers(stack);
  client = ours;
  adminUrl = (await stack.gateways[0]?.waitFor(/"adminUrl":"([^"]+)"/))?.[1] ?? '';
});

afterAll(async () => {
  await keeper?.stop();
  await redis?.[Symbol.asyncDispose]();
});

async function ask<Body = unknown>(path: string, method = 'GET'): Promise<{ status: number; body: Body }> {
  const response = await fetch(adminUrl + path, { method, headers: { authorization: `Bearer ${KEY}` } });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

/** Reads every item of a list, in several pages. */
async function all<Item>(path: string, name: string): Promise<Item[]> {
  const items: Item[] = [];
  let pageToken = '';
  do {
    const page = await ask<Record<string, Item[]> & { nextPageToken: string }>(
      `${path}?pageSize=5&pageToken=${pageToken}`,
    );
    expect(page.status).toBe(200);
    items.push(...(page.body[name] ?? []));
    pageToken = page.body.nextPageToken;
  } while (pageToken);
  return items;
}

interface Turn {
  readonly taskId: string;
  readonly worker: string;
}

const agents = () => all<{ id: string; waiting: number; active: number; paused: boolean }>('/admin/agents', 'agents');
const turns = () => all<Turn>('/admin/turns', 'turns');
const stuck = () => all<{ taskId: string; reason: string }>('/admin/stuck', 'tasks');
const workers = () => all<{ id: string; state: string; turns: unknown[] }>('/admin/workers', 'workers');
const dead = () => all<{ id: string; kind: string; taskId: string }>('/admin/dead-letters', 'deadLetters');

async function send(text: string, webhook?: string): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] };
  return (await client.send(message, true, webhook)).id;
}

const sendMany = (text: string, webhook?: string): Promise<string[]> =>
  Promise.all(Array.from({ length: MANY }, () => send(text, webhook)));

/** Number of masters with tasks. */
async function taskHolders(): Promise<number> {
  const replies = await Promise.all((await redis.masters()).map((node) => node.ask('KEYS *}:t:*', 2_000)));
  return replies.filter((reply) => !reply.startsWith('*0')).length;
}

const ids = (items: readonly { taskId: string }[]): string[] => items.map(({ taskId }) => taskId).sort();

test('a paused agent keeps its messages on every shard, with a reason, and runs all of them when resumed', async () => {
  expect((await ask('/admin/agents/crash-agent:pause', 'POST')).status).toBe(200);
  const sent = await sendMany('wait 600000');
  expect(await taskHolders()).toBeGreaterThan(1);
  expect(await agents()).toMatchObject([{ id: 'crash-agent', paused: true, waiting: MANY, active: 0 }]);
  const reasons = async (): Promise<boolean> => {
    const tasks = await stuck();
    return ids(tasks).join() === [...sent].sort().join() && tasks.every(({ reason }) => reason === 'agent-paused');
  };
  await until(reasons, { what: 'all of them are stuck', ...often });
  expect((await ask('/admin/agents/crash-agent:resume', 'POST')).status).toBe(200);
  await until(async () => ids(await turns()).join() === [...sent].sort().join(), {
    what: 'all of them run',
    ...often,
  });
});

test('a drained worker hands its turns to the other one, and works again when it is undrained', async () => {
  const [first, second] = await workers();
  expect([first?.state, second?.state]).toEqual(['working', 'working']);
  expect((await ask(`/admin/workers/${first?.id}:drain?giveBackAfterMs=0`, 'POST')).status).toBe(200);
  const isDrained = async (): Promise<boolean> => {
    const [one] = await workers();
    const running = await turns();
    return one?.state === 'drained' && running.length === MANY && running.every(({ worker }) => worker === second?.id);
  };
  await until(isDrained, { what: 'the other one runs all', ...often });
  expect((await ask(`/admin/workers/${first?.id}:undrain`, 'POST')).status).toBe(200);
  await until(async () => (await workers())[0]?.state === 'working', { what: 'it works again', ...often });
});

test('tasks on any master are read, canceled and deleted', async () => {
  const running = await turns();
  for (const { taskId } of running) {
    expect(await ask(`/admin/tasks/${taskId}?contents=true`)).toMatchObject({ body: { taskId, task: { id: taskId } } });
    expect((await ask(`/admin/tasks/${taskId}:cancel`, 'POST')).status).toBe(200);
  }
  const deleted = async (taskId: string) => (await ask(`/admin/tasks/${taskId}`, 'DELETE')).status === 204;
  for (const { taskId } of running) await until(() => deleted(taskId), { what: `${taskId} is deleted`, ...often });
  for (const { taskId } of running) expect((await ask(`/admin/tasks/${taskId}`)).status).toBe(404);
  expect(await taskHolders()).toBe(0);
  expect(await agents()).toMatchObject([{ waiting: 0, active: 0 }]);
});

test('dead letters of webhooks are listed over all shards, retried and deleted', async () => {
  const sent = await sendMany('wait 1', `http://127.0.0.1:${await freePort()}/`);
  await until(async () => (await dead()).length === MANY, { what: 'all are dead letters', ...often });
  const [retried, ...others] = await dead();
  expect(ids([...others, ...(retried ? [retried] : [])])).toEqual([...sent].sort());
  expect((await ask(`/admin/dead-letters/${retried?.id}:retry`, 'POST')).status).toBe(200);
  await until(async () => (await dead())[0]?.id === retried?.id, { what: 'it is a dead letter again', ...often });
  for (const { id } of await dead()) expect((await ask(`/admin/dead-letters/${id}`, 'DELETE')).status).toBe(204);
  expect(await dead()).toEqual([]);
});

test('the dead letter of a message that killed its worker is retried as a new task, and deleted', async () => {
  const poison = await send('die');
  const died = async () => (await dead()).find(({ kind }) => kind === 'turn');
  const first = await until(died, { what: 'it is a dead letter', ...often });
  expect(first.id).toBe(poison);
  const { body } = await ask<{ taskId: string }>(`/admin/dead-letters/${poison}:retry`, 'POST');
  await until(async () => (await died())?.id === body.taskId, { what: 'it is a dead letter again', ...often });
  expect((await ask(`/admin/dead-letters/${body.taskId}`, 'DELETE')).status).toBe(204);
  expect(await dead()).toEqual([]);
});
