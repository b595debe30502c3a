import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '../../../scripts/processes/free-port.ts';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { mastersAmong, type RedisDeployment, replicationOf } from './deployment.ts';
import { dataSettings, RedisNode } from './redis-node.ts';

const MASTERS = 3;
const SHARDS = 4;
/** Silence after which a master is taken for dead. The default of 15 s would be the outage that clients see. */
const NODE_TIMEOUT_MS = 2_000;

/** A Redis Cluster of 3 masters, each with a replica. */
export async function startCluster(): Promise<RedisDeployment> {
  const folder = await temporaryFolder();
  const nodes = await Promise.all(Array.from({ length: 2 * MASTERS }, () => createNode(folder.path)));
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()));
    await folder.remove();
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await joinNodes(nodes);
    await settled(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    shards: SHARDS,
    nodes,
    masters: () => mastersAmong(nodes),
    settled: () => settled(nodes),
    stop,
    [Symbol.asyncDispose]: stop,
  };
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

async function joinNodes(nodes: readonly RedisNode[]): Promise<void> {
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const options = ['--cluster-replicas', '1', '--cluster-yes'];
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, ...options]);
}

async function settled(nodes: readonly RedisNode[]): Promise<void> {
  const isOk = async (node: RedisNode): Promise<boolean> => {
    const { role, master_link_status: link } = await replicationOf(node);
    const info = await node.ask('CLUSTER INFO');
    return /cluster_state:ok/.test(info) && (role === 'master' || link === 'up');
  };
  const all = async (): Promise<boolean> =>
    (await Promise.all(nodes.map(isOk))).every(Boolean) && (await mastersAmong(nodes)).length === MASTERS;
  await until(all, { what: 'the Cluster is whole', timeoutMs: 30_000, everyMs: 100 });
}
