import { randomUUID } from 'node:crypto';
import { freePort } from '@switchyard/local';
import { Store } from '@switchyard/store';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../system.ts';
import { FaultProxy } from '../redis/fault-proxy.ts';
import { RedisNode } from '../redis/redis-node.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

// A Cluster of one node behind a proxy, whose address the clients know.

const alice = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'echo' };
let node: RedisNode;
let proxy: FaultProxy;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  proxy = await FaultProxy.start(0);
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': `${await freePort()}`,
    'cluster-announce-ip': '127.0.0.1',
    'cluster-announce-port': `${proxy.port}`,
    save: '""',
  };
  node = await RedisNode.create({ folder: folder.path, settings });
  proxy.target = node.port;
  await node.start();
  await node.ask('CLUSTER ADDSLOTSRANGE 0 16383');
  await until(async () => /cluster_state:ok/.test(await node.ask('CLUSTER INFO')), { what: 'the Cluster is complete' });
});

afterAll(async () => {
  await node.kill();
  await proxy[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test('a stream continues when the subscriber connection to a Cluster is silently lost', async () => {
  const redisUrl = `redis+cluster://127.0.0.1:${proxy.port}`;
  const store = new Store({ redisUrl, feedCheckMs: 3_600_000 }, () => undefined);
  onTestFinished(() => store.stop());
  await store.start();
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] } as const;
  const accepted = await store.tasks.accept(alice, { message: { ...message, parts: [...message.parts] } });
  if (accepted.verdict !== 'accepted') throw new Error(accepted.verdict);
  const { taskId } = accepted;
  const feed = store.feeds.follow(alice, taskId);
  expect((await feed.next()).value).toMatchObject({ kind: 'task' });
  const next = feed.next();
  const [, port] = /addr=127\.0\.0\.1:(\d+)/.exec(await node.ask('CLIENT LIST TYPE pubsub')) ?? [];
  proxy.silenceOne(Number(port));
  await store.tasks.cancel(alice, taskId);
  expect((await next).value).toMatchObject({ state: 'TASK_STATE_CANCELED' });
});
