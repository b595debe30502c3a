import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@switchyard/local';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../system.ts';
import { FaultProxy } from './fault-proxy.ts';
import { dataSettings, RedisNode } from './redis-node.ts';

interface Parts {
  /** The format of REDIS_URL. */
  readonly url: string;
  /** SHARDS for it. Default: 1. */
  readonly shards?: number;
  /** Nodes with data, without sentinels. */
  readonly nodes: readonly RedisNode[];
  /** The nodes that accept writes now. Default: those whose INFO says master. */
  readonly masters?: () => Promise<readonly RedisNode[]>;
  /** The proxy between all clients and this Redis, if there is one. */
  readonly proxy?: FaultProxy;
  /** Resolves when every replica has caught up with its master, and all nodes agree on the roles. */
  readonly settled?: () => Promise<unknown>;
  /** Kills the master and promotes its replica, which lacks the writes of the last `lostMs`. */
  readonly failOver?: (lostMs: number) => Promise<void>;
  /** Partitions a running node from all others until `heal`. */
  readonly partition?: (node: RedisNode) => { heal(): void };
}

/** A Redis as processes of this machine: single, with a replica, behind sentinels, or a Cluster. */
export interface RedisDeployment extends Parts, AsyncDisposable {
  readonly shards: number;
  readonly settled: () => Promise<unknown>;
  readonly masters: () => Promise<readonly RedisNode[]>;
}

/** @param start makes it from nodes with files in this folder; whatever it adds to `owned` is stopped with it */
async function deploy(
  start: (folder: string, owned: AsyncDisposableStack) => Promise<Parts>,
): Promise<RedisDeployment> {
  await using owned = new AsyncDisposableStack();
  const { path } = owned.use(await temporaryFolder());
  const parts = await start(path, owned);
  await parts.settled?.();
  const kept = owned.move();
  return {
    shards: 1,
    settled: async () => undefined,
    masters: () => mastersAmong(parts.nodes),
    ...parts,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The replication section of a node's INFO. */
async function replicationOf(node: RedisNode): Promise<Readonly<Record<string, string>>> {
  const reply = await node.ask('INFO replication', 500).catch(() => '');
  return Object.fromEntries(Array.from(reply.matchAll(/^(\w+):(.*?)\r?$/gm), ([, name, value]) => [name, value]));
}

/** Whether a node is a master, or a replica that follows one. */
async function isLinked(node: RedisNode): Promise<boolean> {
  const { role, master_link_status: link } = await replicationOf(node);
  return role === 'master' || link === 'up';
}

async function mastersAmong(nodes: readonly RedisNode[]): Promise<RedisNode[]> {
  const roles = await Promise.all(nodes.map(async (node) => (await replicationOf(node)).role));
  return nodes.filter((_, i) => roles[i] === 'master');
}

export interface SingleOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The password of all clients. */
  readonly password?: string;
  /** Clients connect through a proxy. Default: directly. */
  readonly isProxied?: boolean;
}

/** A single Redis with an append-only file. */
export function startSingle({ settings = {}, password, isProxied = false }: SingleOptions = {}) {
  return deploy(async (folder, owned) => {
    const all = { ...dataSettings, ...settings };
    const node = owned.use(await RedisNode.create({ folder, settings: all, ...(password && { password }) }));
    await node.start();
    const proxy = isProxied ? owned.use(await FaultProxy.start(node.port)) : undefined;
    const url = `redis://${password ? `:${password}@` : ''}127.0.0.1:${proxy?.port ?? node.port}`;
    return { url, nodes: [node], masters: async () => [node], ...(proxy && { proxy }) };
  });
}

/**
 * A master and a replica. Clients and the replica reach the master through proxies, so that writes can be lost before
 * they are replicated.
 */
export function startPair(): Promise<RedisDeployment> {
  return deploy(async (folder, owned) => {
    const settings = { ...dataSettings, 'repl-diskless-sync': 'yes' };
    let master = owned.use(await RedisNode.create({ folder, settings }));
    let replica = owned.use(await RedisNode.create({ folder, settings }));
    const nodes = [master, replica];
    await Promise.all(nodes.map((node) => node.start()));
    const clients = owned.use(await FaultProxy.start(master.port));
    const replication = owned.use(await FaultProxy.start(master.port));
    const settled = (): Promise<unknown> =>
      until(() => isLinked(replica), { what: 'the replica follows its master', timeoutMs: 30_000 });
    const follow = async (): Promise<void> => {
      await replica.ask(`REPLICAOF 127.0.0.1 ${replication.port}`);
      await settled();
    };
    await follow();
    const failOver = async (lostMs: number): Promise<void> => {
      replication.stall();
      await delay(lostMs);
      await master.kill();
      replication.cut();
      replication.release();
      await replica.ask('REPLICAOF NO ONE');
      [master, replica] = [replica, master];
      for (const proxy of [clients, replication]) proxy.target = master.port;
      clients.cut();
      await replica.start();
      await follow();
    };
    return { url: `redis://127.0.0.1:${clients.port}`, nodes, proxy: clients, settled, failOver };
  });
}

const MASTER_NAME = 'switchyard';
const REPLICAS = 2;
const SENTINELS = 3;

/** A master, two replicas and three sentinels. Each data node is behind a proxy, which can partition it. */
export function startSentinel(): Promise<RedisDeployment> {
  return deploy(async (folder, owned) => {
    const proxies = new Map<RedisNode, FaultProxy>();
    for (let n = 0; n < 1 + REPLICAS; n++) {
      const port = await freePort();
      const proxy = owned.use(await FaultProxy.start(port));
      // It announces the port of its proxy, and reaches the others through theirs.
      const announced = { 'replica-announce-ip': '127.0.0.1', 'replica-announce-port': String(proxy.port) };
      const node = owned.use(await RedisNode.create({ folder, port, settings: { ...dataSettings, ...announced } }));
      proxies.set(node, proxy);
    }
    const nodes = [...proxies.keys()];
    const [first, ...others] = nodes;
    const portOf = (node: RedisNode | undefined): number => (node && proxies.get(node)?.port) ?? 0;
    const sentinels: RedisNode[] = [];
    for (let n = 0; n < SENTINELS; n++) sentinels.push(owned.use(await createSentinel(folder, portOf(first))));
    await Promise.all(nodes.map((node) => node.start()));
    await Promise.all(others.map((node) => node.ask(`REPLICAOF 127.0.0.1 ${portOf(first)}`)));
    await Promise.all(sentinels.map((sentinel) => sentinel.start()));

    /** Resolves when all name the same master, and know all replicas and other sentinels. */
    const agree = async (): Promise<boolean> => {
      const [master, ...more] = await mastersAmong(nodes);
      if (!master || more.length || !(await Promise.all(nodes.map(isLinked))).every(Boolean)) return false;
      const line = `status=ok,address=127.0.0.1:${portOf(master)},slaves=${REPLICAS},sentinels=${SENTINELS}`;
      const infos = await Promise.all(sentinels.map((sentinel) => sentinel.ask('INFO sentinel', 500)));
      return infos.every((info) => info.includes(line));
    };
    return {
      url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${MASTER_NAME}`,
      nodes,
      settled: () => until(agree, { what: 'the sentinels agree on one master', timeoutMs: 60_000, everyMs: 100 }),
      partition(node) {
        proxies.get(node)?.stall();
        return { heal: () => proxies.get(node)?.release() };
      },
    };
  });
}

/** A sentinel writes its state into its configuration file. */
async function createSentinel(folder: string, masterPort: number): Promise<RedisNode> {
  const draft = await RedisNode.create({ folder });
  const sentinelFile = join(draft.folder, 'sentinel.conf');
  const lines = [
    `port ${draft.port}`,
    'bind 127.0.0.1',
    `dir ${draft.folder}`,
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${MASTER_NAME} 1500`,
    // Also half of the pause before a second fail-over of the same master.
    `sentinel failover-timeout ${MASTER_NAME} 4000`,
  ];
  await writeFile(sentinelFile, `${lines.join('\n')}\n`);
  return RedisNode.create({ folder, port: draft.port, sentinelFile });
}

const MASTERS = 3;
const SHARDS = 4;
/** The silence after which a master is considered dead. The default of 15 s would be an outage for clients. */
const NODE_TIMEOUT_MS = 2_000;

/** A Redis Cluster of 3 masters, each with a replica. */
export function startCluster(): Promise<RedisDeployment> {
  return deploy(async (folder, owned) => {
    const nodes: RedisNode[] = [];
    for (let n = 0; n < 2 * MASTERS; n++) {
      const settings = {
        ...dataSettings,
        'cluster-enabled': 'yes',
        'cluster-node-timeout': String(NODE_TIMEOUT_MS),
        // Not 10,000 above the port as usual, which may not be a valid port.
        'cluster-port': String(await freePort()),
        // A replica that has just lost its master may be promoted, however long the machine was busy.
        'cluster-replica-validity-factor': '0',
      };
      nodes.push(owned.use(await RedisNode.create({ folder, settings })));
    }
    await Promise.all(nodes.map((node) => node.start()));
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const options = ['--cluster-replicas', '1', '--cluster-yes'];
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, ...options]);
    const knowsReplicas = async (node: RedisNode): Promise<boolean> =>
      (await node.ask('CLUSTER NODES', 500)).match(/\bslave [0-9a-f]{40}/g)?.length === nodes.length - MASTERS;
    const isOk = async (node: RedisNode): Promise<boolean> =>
      /cluster_state:ok/.test(await node.ask('CLUSTER INFO', 500)) &&
      (await isLinked(node)) &&
      (await knowsReplicas(node));
    const isWhole = async (): Promise<boolean> =>
      (await Promise.all(nodes.map(isOk))).every(Boolean) && (await mastersAmong(nodes)).length === MASTERS;
    return {
      url: `redis+cluster://${addresses.join(',')}`,
      shards: SHARDS,
      nodes,
      settled: () => until(isWhole, { what: 'the Cluster is complete', timeoutMs: 30_000, everyMs: 100 }),
    };
  });
}
