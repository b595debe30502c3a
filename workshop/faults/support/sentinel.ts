import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { mastersAmong, type RedisDeployment, replicationOf } from './deployment.ts';
import { dataSettings, RedisNode } from './redis-node.ts';
import { temporaryFolder } from './temporary-folder.ts';

const MASTER_NAME = 'switchyard';
const REPLICAS = 2;
const SENTINELS = 3;

/** A master, two replicas, and three sentinels that watch them. */
export async function startSentinel(): Promise<RedisDeployment> {
  const folder = await temporaryFolder();
  const nodes = await Promise.all(
    Array.from({ length: 1 + REPLICAS }, () => RedisNode.create({ folder: folder.path, settings: dataSettings })),
  );
  const [{ port: masterPort } = { port: 0 }] = nodes;
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => createSentinel(folder.path, masterPort)));
  const stop = async (): Promise<void> => {
    await Promise.all([...sentinels, ...nodes].map((node) => node.kill()));
    await folder.remove();
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await Promise.all(nodes.slice(1).map((node) => node.ask(`REPLICAOF 127.0.0.1 ${masterPort}`)));
    await Promise.all(sentinels.map((sentinel) => sentinel.start()));
    await settled(nodes, sentinels);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${MASTER_NAME}`,
    shards: 1,
    nodes,
    masters: () => mastersAmong(nodes),
    settled: () => settled(nodes, sentinels),
    stop,
    [Symbol.asyncDispose]: stop,
  };
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

async function settled(nodes: readonly RedisNode[], sentinels: readonly RedisNode[]): Promise<void> {
  const isLinked = async (node: RedisNode): Promise<boolean> => {
    const { role, master_link_status: link } = await replicationOf(node);
    return role === 'master' || link === 'up';
  };
  const all = async (): Promise<boolean> => {
    const [master, ...others] = await mastersAmong(nodes);
    if (!master || others.length || !(await Promise.all(nodes.map(isLinked))).every(Boolean)) return false;
    return (await Promise.all(sentinels.map((sentinel) => agrees(sentinel, master)))).every(Boolean);
  };
  await until(all, { what: 'the sentinels agree on one master', timeoutMs: 60_000, everyMs: 100 });
}

/** This sentinel names the master, and knows as many replicas and other sentinels as there are. */
async function agrees(sentinel: RedisNode, master: RedisNode): Promise<boolean> {
  const info = await sentinel.ask('INFO sentinel');
  const line = `status=ok,address=127.0.0.1:${master.port},slaves=${REPLICAS},sentinels=${SENTINELS}`;
  return info.includes(line);
}
