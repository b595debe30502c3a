import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { mastersAmong, type RedisDeployment, replicationOf } from './deployment.ts';
import { FaultProxy } from './fault-proxy.ts';
import { dataSettings, RedisNode } from './redis-node.ts';

export interface SingleOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Clients must know it. */
  readonly password?: string;
  /** Clients come through a proxy. Default: directly. */
  readonly isProxied?: boolean;
}

/** One Redis that keeps an append-only file. */
export async function startSingle({
  settings = {},
  password,
  isProxied = false,
}: SingleOptions = {}): Promise<RedisDeployment> {
  const folder = await temporaryFolder();
  const node = await RedisNode.create({
    folder: folder.path,
    settings: { ...dataSettings, ...settings },
    ...(password && { password }),
  });
  await node.start();
  const proxy = isProxied ? await FaultProxy.start(node.port) : undefined;
  const stop = async (): Promise<void> => {
    await proxy?.[Symbol.asyncDispose]();
    await node.kill();
    await folder.remove();
  };
  return {
    url: `redis://${password ? `:${password}@` : ''}127.0.0.1:${proxy?.port ?? node.port}`,
    shards: 1,
    nodes: [node],
    ...(proxy && { proxy }),
    masters: async () => [node],
    settled: async () => undefined,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * A master and a replica. Clients, and the replica, reach the master by proxies, so that what it has not got yet can be
 * lost.
 */
export async function startPair(): Promise<RedisDeployment> {
  const folder = await temporaryFolder();
  const settings = { ...dataSettings, 'repl-diskless-sync': 'yes' };
  let master = await RedisNode.create({ folder: folder.path, settings });
  let replica = await RedisNode.create({ folder: folder.path, settings });
  const nodes = [master, replica];
  await Promise.all(nodes.map((node) => node.start()));
  const [clients, replication] = [await FaultProxy.start(master.port), await FaultProxy.start(master.port)];
  const settled = (): Promise<unknown> =>
    until(async () => (await replicationOf(replica)).master_link_status === 'up', {
      what: 'the replica follows its master',
      timeoutMs: 30_000,
    });
  const follow = async (): Promise<void> => {
    await replica.ask(`REPLICAOF 127.0.0.1 ${replication.port}`);
    await settled();
  };
  await follow();
  const stop = async (): Promise<void> => {
    for (const proxy of [clients, replication]) await proxy[Symbol.asyncDispose]();
    await Promise.all(nodes.map((node) => node.kill()));
    await folder.remove();
  };
  return {
    url: `redis://127.0.0.1:${clients.port}`,
    shards: 1,
    nodes,
    proxy: clients,
    masters: () => mastersAmong(nodes),
    settled: async () => void (await settled()),
    async failOver(lostMs) {
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
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
