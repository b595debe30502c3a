import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '@switchyard/local';
import { until } from '../../../tests/support/until.ts';
import { deploy, isLinked, mastersAmong, type RedisDeployment } from './deployment.ts';
import { dataSettings, RedisNode } from './redis-node.ts';

const MASTERS = 3;
const SHARDS = 4;
/** Silence after which a master is taken for dead. The default of 15 s would be the outage that clients see. */
const NODE_TIMEOUT_MS = 2_000;

/** A Redis Cluster of 3 masters, each with a replica. */
export function startCluster(): Promise<RedisDeployment> {
  return deploy(async (folder, owned) => {
    const nodes = await Promise.all(Array.from({ length: 2 * MASTERS }, () => createNode(folder)));
    for (const node of nodes) owned.use(node);
    await Promise.all(nodes.map((node) => node.start()));
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const options = ['--cluster-replicas', '1', '--cluster-yes'];
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, ...options]);
    return {
      url: `redis+cluster://${addresses.join(',')}`,
      shards: SHARDS,
      nodes,
      settled: () => settled(nodes),
    };
  });
}

async function createNode(folder: string): Promise<RedisNode> {
  const settings = {
    ...dataSettings,
    'cluster-enabled': 'yes',
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    // Not 10,000 above the port as usual: that may be no port at all.
    'cluster-port': String(await freePort()),
    // A replica that lost its master a moment ago is good enough, however long the machine was busy.
    'cluster-replica-validity-factor': '0',
  };
  return RedisNode.create({ folder, settings });
}

async function settled(nodes: readonly RedisNode[]): Promise<void> {
  const isOk = async (node: RedisNode): Promise<boolean> => {
    const info = await node.ask('CLUSTER INFO');
    return /cluster_state:ok/.test(info) && (await isLinked(node));
  };
  const all = async (): Promise<boolean> =>
    (await Promise.all(nodes.map(isOk))).every(Boolean) && (await mastersAmong(nodes)).length === MASTERS;
  await until(all, { what: 'the Cluster is whole', timeoutMs: 30_000, everyMs: 100 });
}
