import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnections, holderOf, mastersOf, SlotMoves, slotOf } from '@switchyard/redis';
import { Shards } from '@switchyard/store/inside';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TestCluster } from '../../../tests/support/cluster/cluster.ts';
import { SlotMove } from '../../../tests/support/cluster/slot-move.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { alice } from '../../../tests/support/store/redis.ts';
import { ownedKeys } from '../src/owned-keys.ts';

/** More than one SCAN returns. */
const KEYS = 3_000;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ masters: 2 });
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

test('the keys of a tenant are all found, or it is said that their slot moves', async () => {
  const { commands: redis } = createConnections({ redisUrl: cluster.url }, { isReplicated: false });
  await using _ = { [Symbol.asyncDispose]: async () => redis.disconnect() };
  const [shard] = new Shards('moving', 1).all;
  if (!shard) throw new Error('There is no shard.');
  const names = Array.from({ length: KEYS }, (_each, n) => shard.memory(alice, `context ${n}`));
  for (const name of names) await redis.set(name, '1');
  const keys = () => ownedKeys(redis, shard, alice.principal.tenant);
  const count = async (): Promise<number> => (await Array.fromAsync(keys())).length;
  expect(await count()).toBe(KEYS);

  // There and back: one of both directions is against the order in which the masters are known.
  for (let round = 0; round < 2; round++) {
    const slot = slotOf('s0');
    const from = await cluster.ownerOf(slot);
    const to = cluster.masters.find((master) => master !== from);
    if (!to) throw new Error('There are not two masters.');
    const found = keys();
    await found.next();
    const move = await SlotMove.begin({ slot, from: from.redis, to: to.redis });
    await move.moveKeys(KEYS / 2);
    await expect(count()).rejects.toThrow(SlotMoves);
    await move.finish();
    await expect(Array.fromAsync(found)).rejects.toThrow(SlotMoves);
    await expect.poll(() => count().catch(() => 'moves'), { timeout: 10_000 }).toBe(KEYS);
  }
  expect(mastersOf(redis)).toHaveLength(2);
});

test('a Cluster that names no master of a slot says so, and not that the slot moves', async () => {
  const { commands: redis } = createConnections({ redisUrl: cluster.url }, { isReplicated: false });
  await using _ = { [Symbol.asyncDispose]: async () => redis.disconnect() };
  await redis.get('{s0}');
  if (redis instanceof Cluster) redis.slots[slotOf('s0')] = [];
  await expect(holderOf(redis, '{s0}')).rejects.toThrow('names no master for one of its slots');
});

test('all keys are found, although Redis restarts meanwhile and orders them anew', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'owned-keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const first = await startRedis({ appendOnly: true, folder });
  const { commands: redis } = createConnections({ redisUrl: first.url }, { isReplicated: false });
  await using _ = { [Symbol.asyncDispose]: async () => redis.disconnect() };
  const [shard] = new Shards('restarts', 1).all;
  if (!shard) throw new Error('There is no shard.');
  const names = Array.from({ length: KEYS }, (_each, n) => shard.memory(alice, `context ${n}`));
  for (const name of names) await redis.set(name, '1');
  const found = ownedKeys(redis, shard, alice.principal.tenant);
  const seen = new Set([JSON.stringify((await found.next()).value)]);
  await first.kill();
  const second = await startRedis({ appendOnly: true, folder, port: Number(new URL(first.url).port) });
  for await (const key of found) seen.add(JSON.stringify(key));
  expect(seen.size).toBe(KEYS);
  await second.stop();
});

test('all keys are found, although the server does not say which run of it this is', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const { commands: redis } = createConnections({ redisUrl: server.url }, { isReplicated: false });
  await using _ = { [Symbol.asyncDispose]: async () => redis.disconnect() };
  const [shard] = new Shards('hidden', 1).all;
  if (!shard) throw new Error('There is no shard.');
  await redis.set(shard.memory(alice, 'context'), '1');
  const hiding = Object.assign(redis, { info: async () => '# Server\r\nredis_version:7.2.0\r\n' });
  expect(await Array.fromAsync(ownedKeys(hiding, shard, alice.principal.tenant))).toHaveLength(1);
});
