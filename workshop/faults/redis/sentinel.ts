import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@switchyard/local';
import { until } from '../../../tests/support/until.ts';
import { deploy, isLinked, mastersAmong, type RedisDeployment } from './deployment.ts';
import { FaultProxy } from './fault-proxy.ts';
import { dataSettings, RedisNode } from './redis-node.ts';

const MASTER_NAME = 'switchyard';
const REPLICAS = 2;
const SENTINELS = 3;

/** A data node, and the proxy in front of it. */
interface Reached {
  readonly node: RedisNode;
  readonly proxy: FaultProxy;
}

/** A master, two replicas, and three sentinels. Each data node can be partitioned. */
export function startSentinel(): Promise<RedisDeployment> {
  return deploy(async (folder, owned) => {
    const reached = await Promise.all(Array.from({ length: 1 + REPLICAS }, () => createNode(folder)));
    const nodes = reached.map(({ node }) => node);
    const port = reached[0]?.proxy.port ?? 0;
    const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => createSentinel(folder, port)));
    for (const one of [...nodes, ...sentinels, ...reached.map(({ proxy }) => proxy)]) owned.use(one);
    await Promise.all(nodes.map((node) => node.start()));
    await Promise.all(nodes.slice(1).map((node) => node.ask(`REPLICAOF 127.0.0.1 ${port}`)));
    await Promise.all(sentinels.map((sentinel) => sentinel.start()));
    return {
      url: `redis+sentinel://${sentinels.map((sentinel) => `127.0.0.1:${sentinel.port}`).join(',')}/${MASTER_NAME}`,
      nodes,
      settled: () => settled(reached, sentinels),
      partition(node) {
        const proxy = reached.find((one) => one.node === node)?.proxy;
        proxy?.stall();
        return { heal: () => proxy?.release() };
      },
    };
  });
}

/** It tells others the port of its proxy, and reaches them by theirs. */
async function createNode(folder: string): Promise<Reached> {
  const port = await freePort();
  const proxy = await FaultProxy.start(port);
  const announced = { 'replica-announce-ip': '127.0.0.1', 'replica-announce-port': String(proxy.port) };
  return { node: await RedisNode.create({ folder, port, settings: { ...dataSettings, ...announced } }), proxy };
}

/** A sentinel writes what it learns into its own configuration file. */
async function createSentinel(folder: string, masterPort: number): Promise<RedisNode> {
  const draft = await RedisNode.create({ folder });
  const sentinelFile = join(draft.folder, 'sentinel.conf');
  const lines = [
    `port ${draft.port}`,
    'bind 127.0.0.1',
    `dir ${draft.folder}`,
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${MASTER_NAME} 1500`,
    // Also the pause before a second fail-over of the same master, twice this long.
    `sentinel failover-timeout ${MASTER_NAME} 4000`,
  ];
  await writeFile(sentinelFile, `${lines.join('\n')}\n`);
  return RedisNode.create({ folder, port: draft.port, sentinelFile });
}

async function settled(reached: readonly Reached[], sentinels: readonly RedisNode[]): Promise<void> {
  const nodes = reached.map(({ node }) => node);
  const all = async (): Promise<boolean> => {
    const [master, ...others] = await mastersAmong(nodes);
    if (!master || others.length || !(await Promise.all(nodes.map(isLinked))).every(Boolean)) return false;
    const port = reached.find(({ node }) => node === master)?.proxy.port ?? 0;
    return (await Promise.all(sentinels.map((sentinel) => agrees(sentinel, port)))).every(Boolean);
  };
  await until(all, { what: 'the sentinels agree on one master', timeoutMs: 60_000, everyMs: 100 });
}

/** This sentinel names the master, and knows as many replicas and other sentinels as there are. */
async function agrees(sentinel: RedisNode, masterPort: number): Promise<boolean> {
  const info = await sentinel.ask('INFO sentinel');
  const line = `status=ok,address=127.0.0.1:${masterPort},slaves=${REPLICAS},sentinels=${SENTINELS}`;
  return info.includes(line);
}
