import { freePort } from '@switchyard/local';
import { type FeedItem, inspectMasters, type OpenTurn, Store } from '@switchyard/store';
import { Shards } from '@switchyard/store/inside';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SlotMove } from '../../../tests/support/cluster/slot-move.ts';
import { accepted, begun } from '../../../tests/support/store/drive.ts';
import { alice } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../system.ts';
import { type RedisDeployment, startCluster } from '../redis/deployments.ts';
import { FaultProxy } from '../redis/fault-proxy.ts';
import { RedisNode } from '../redis/redis-node.ts';

// A Cluster of three masters, each with a replica.
let redis: RedisDeployment;
beforeAll(async () => {
  redis = await startCluster();
});
afterAll(() => redis?.[Symbol.asyncDispose]());

/** Nothing but its channel, or a check after a reconnection, tells a feed of this store that there is an event. */
async function startStore(redisUrl: string, shards: number): Promise<Store> {
  const store = new Store({ redisUrl, shards, feedCheckMs: 3_600_000 }, () => undefined);
  onTestFinished(() => store.stop());
  await store.start();
  return store;
}

interface Stream {
  readonly turn: OpenTurn;
  /** The channel of its events. */
  readonly channel: string;
  readonly next: () => Promise<FeedItem | undefined>;
}

/** A running turn, and a stream of its task's events. */
async function openStream(store: Store): Promise<Stream> {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const feed = store.feeds.follow(alice, taskId);
  const next = async (): Promise<FeedItem | undefined> => (await feed.next()).value ?? undefined;
  expect(await next()).toMatchObject({ kind: 'task' });
  const { prefix, shards } = store.settings;
  return { turn, channel: new Shards(prefix, shards).of(taskId).events(taskId), next };
}

const publish = ({ turn }: Stream): Promise<void> =>
  turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });

/** Publishes an event, which the stream receives as its next one. */
async function expectEvent(stream: Stream): Promise<void> {
  const next = stream.next();
  await publish(stream);
  expect(await next).toMatchObject({ kind: 'event', state: 'TASK_STATE_WORKING' });
}

/** The running master that has a channel or key. */
async function masterOf(name: string): Promise<RedisNode> {
  const has = async (node: RedisNode): Promise<boolean> =>
    (await node.ask(`EXISTS ${name}`, 500).catch(() => '')).startsWith(':');
  const masters = await redis.masters();
  const found = await Promise.all(masters.map(has));
  const master = masters[found.indexOf(true)];
  if (!master) throw new Error(`No master has ${name}.`);
  return master;
}

const isSubscribed = async (node: RedisNode, channel: string): Promise<boolean> =>
  /:1\r\n/.test(await node.ask(`PUBSUB SHARDNUMSUB ${channel}`, 500).catch(() => ''));

/** Messages that a node has sent to other nodes, and got from them, because something was published. */
async function busOf(node: RedisNode): Promise<Readonly<Record<string, number>>> {
  const info = await node.ask('CLUSTER INFO');
  const lines = info.matchAll(/^cluster_stats_messages_(publish\w*):(\d+)/gm);
  return Object.fromEntries(Array.from(lines, ([, name, count]) => [name ?? '', Number(count)]));
}

/** Moves the slot of a key to another master, with all its keys, as `redis-cli --cluster reshard` does. */
async function moveSlot(key: string, from: RedisNode, to: RedisNode): Promise<void> {
  const [source, target] = [new Redis(from.port), new Redis(to.port)];
  try {
    const move = await SlotMove.begin({ slot: await source.cluster('KEYSLOT', key), from: source, to: target });
    await move.finish();
  } finally {
    source.disconnect();
    target.disconnect();
  }
}

test('an inspection says how many shards each master has', async () => {
  const countsOf = async (shards: number): Promise<readonly number[]> => {
    const masters = await inspectMasters({ redisUrl: redis.url, prefix: 'sw', shards });
    return masters.map((master) => master.shards).sort();
  };
  expect(await countsOf(1)).toEqual([0, 0, 1]);
  const counts = await countsOf(12);
  expect(counts.reduce((sum, count) => sum + count)).toBe(12);
  expect(counts[0]).toBeGreaterThan(0);
});

test('an event reaches the master of its shard and the replica of that master, and no other node', async () => {
  const store = await startStore(redis.url, redis.shards);
  const stream = await openStream(store);
  const before = await Promise.all(redis.nodes.map(busOf));
  for (let n = 0; n < 10; n++) await expectEvent(stream);
  /** What each node has counted since, in ascending order. */
  const gained = async (name: string): Promise<number[]> => {
    const after = await Promise.all(redis.nodes.map(busOf));
    return after.map((bus, i) => (bus[name] ?? 0) - (before[i]?.[name] ?? 0)).sort((a, b) => a - b);
  };
  await expect.poll(() => gained('publishshard_received')).toEqual([0, 0, 0, 0, 0, 10]);
  // Valkey 8 and later do not count what they send with a short header.
  expect([0, 10]).toContain((await gained('publishshard_sent')).reduce((sum, count) => sum + count));
  expect(await gained('publish_sent')).toEqual([0, 0, 0, 0, 0, 0]);
});

test('a stream continues when the slot of its shard moves to another master', async () => {
  const store = await startStore(redis.url, redis.shards);
  const stream = await openStream(store);
  const from = await masterOf(stream.channel);
  const to = (await redis.masters()).find((node) => node !== from);
  if (!to) throw new Error('There is one master.');
  await moveSlot(stream.channel, from, to);
  await until(() => isSubscribed(to, stream.channel), { what: 'the channel is subscribed at the new master' });
  await expectEvent(stream);
  expect(await isSubscribed(from, stream.channel)).toBe(false);
});

test.each(['kill', 'freeze'] as const)('a stream continues after a fail-over (%s)', async (how) => {
  const store = await startStore(redis.url, redis.shards);
  const stream = await openStream(store);
  const before = await masterOf(stream.channel);
  const next = stream.next();
  await before[how]();
  await publish(stream); // by the new master, before the channel is subscribed there or afterwards
  expect(await next).toMatchObject({ kind: 'event' });
  const after = await masterOf(stream.channel);
  await until(() => isSubscribed(after, stream.channel), { what: 'the channel is subscribed at the new master' });
  await expectEvent(stream);
  await (how === 'kill' ? before.start() : before.thaw());
  await redis.settled();
});

test('a stream continues when its connection to a master is silently lost', async () => {
  // A Cluster of one node behind a proxy, whose address the clients know.
  await using folder = await temporaryFolder();
  await using proxy = await FaultProxy.start(0);
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': `${await freePort()}`,
    'cluster-announce-ip': '127.0.0.1',
    'cluster-announce-port': `${proxy.port}`,
    save: '""',
  };
  await using node = await RedisNode.create({ folder: folder.path, settings });
  proxy.target = node.port;
  await node.start();
  await node.ask('CLUSTER ADDSLOTSRANGE 0 16383');
  await until(async () => /cluster_state:ok/.test(await node.ask('CLUSTER INFO')), { what: 'the Cluster is complete' });
  const store = await startStore(`redis+cluster://127.0.0.1:${proxy.port}`, 1);
  const stream = await openStream(store);
  const [, port] = /addr=127\.0\.0\.1:(\d+)/.exec(await node.ask('CLIENT LIST TYPE pubsub')) ?? [];
  proxy.silenceOne(Number(port));
  await expectEvent(stream);
  await store.stop();
});
