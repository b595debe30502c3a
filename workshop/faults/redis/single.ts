import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../tests/support/until.ts';
import { deploy, isLinked, type RedisDeployment } from './deployment.ts';
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
 * A master and a replica. Clients and the replica reach the master through proxies, so that writes that are not
 * replicated can be lost.
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
