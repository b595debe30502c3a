import { temporaryFolder } from '../../system.ts';
import type { FaultProxy } from './fault-proxy.ts';
import type { RedisNode } from './redis-node.ts';

interface Parts {
  /** As in REDIS_URL. */
  readonly url: string;
  /** SHARDS for it; left out: 1. */
  readonly shards?: number;
  /** Those that hold data. */
  readonly nodes: readonly RedisNode[];
  /** The nodes that take writes now. Default: those whose INFO says master. */
  readonly masters?: () => Promise<readonly RedisNode[]>;
  /** What all clients come through, if there is one way for all of them. */
  readonly proxy?: FaultProxy;
  /** Every replica has caught up with a master, and every node knows who is who. */
  readonly settled?: () => Promise<unknown>;
  /** Kills the master and promotes its replica, which lacks the writes of the last `lostMs`. */
  readonly failOver?: (lostMs: number) => Promise<void>;
  /** Partitions a running node from all others until `heal`. */
  readonly partition?: (node: RedisNode) => { heal(): void };
}

/** A Redis as processes of this machine: alone, with a replica, behind sentinels, or a Cluster. */
export interface RedisDeployment extends Parts, AsyncDisposable {
  readonly shards: number;
  readonly settled: () => Promise<unknown>;
  readonly masters: () => Promise<readonly RedisNode[]>;
}

/** @param start makes it from nodes whose files are in this folder; what it gives to `owned` goes with it */
export async function deploy(
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
  const reply = await node.ask('INFO replication').catch(() => '');
  return Object.fromEntries(Array.from(reply.matchAll(/^(\w+):(.*?)\r?$/gm), ([, name, value]) => [name, value]));
}

/** A master, or a replica that follows one. */
export async function isLinked(node: RedisNode): Promise<boolean> {
  const { role, master_link_status: link } = await replicationOf(node);
  return role === 'master' || link === 'up';
}

export async function mastersAmong(nodes: readonly RedisNode[]): Promise<RedisNode[]> {
  const roles = await Promise.all(nodes.map(async (node) => (await replicationOf(node)).role));
  return nodes.filter((_, i) => roles[i] === 'master');
}
