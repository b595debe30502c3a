import type { FaultProxy } from './fault-proxy.ts';
import type { RedisNode } from './redis-node.ts';

/** A Redis as processes of this machine: alone, with a replica, behind sentinels, or a Cluster. */
export interface RedisDeployment extends AsyncDisposable {
  /** As in REDIS_URL. */
  readonly url: string;
  /** SHARDS for it. */
  readonly shards: number;
  /** Those that hold data. */
  readonly nodes: readonly RedisNode[];
  /** What all clients come through, if there is one way for all of them. */
  readonly proxy?: FaultProxy;
  /** The nodes that take writes now. */
  masters(): Promise<readonly RedisNode[]>;
  /** Every replica has caught up with a master, and every node knows who is who. */
  settled(): Promise<void>;
  /** Kills the master and promotes its replica, which lacks what was written in the last so many milliseconds. */
  failOver?(lostMs: number): Promise<void>;
  /** Cuts a node off from everybody until `heal`: it goes on running. */
  partition?(node: RedisNode): { heal(): void };
  stop(): Promise<void>;
}

/** What a node says of itself in INFO. */
export async function replicationOf(node: RedisNode): Promise<Readonly<Record<string, string>>> {
  const reply = await node.ask('INFO replication').catch(() => '');
  return Object.fromEntries(Array.from(reply.matchAll(/^(\w+):(.*?)\r?$/gm), ([, name, value]) => [name, value]));
}

export async function mastersAmong(nodes: readonly RedisNode[]): Promise<RedisNode[]> {
  const roles = await Promise.all(nodes.map(async (node) => (await replicationOf(node)).role));
  return nodes.filter((_, i) => roles[i] === 'master');
}
