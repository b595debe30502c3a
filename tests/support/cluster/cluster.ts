import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer, freePort, type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { Redis } from 'ioredis';
import { until } from '../until.ts';

const SLOTS = 16_384;

/** A master of a Cluster, and a connection to it alone. */
export interface ClusterMaster {
  readonly port: number;
  readonly redis: Redis;
}

/** A Redis Cluster of masters without replicas, to which masters are added and from which they are removed. */
export class TestCluster implements AsyncDisposable {
  readonly masters: ClusterMaster[] = [];
  readonly #folder: string;
  readonly #processes = new Map<ClusterMaster, GuardedProcess>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** The masters share the slots evenly, in their order. */
  static async start({ masters }: { readonly masters: number }): Promise<TestCluster> {
    const cluster = new TestCluster(await realpath(await mkdtemp(join(tmpdir(), 'switchyard-cluster-'))));
    try {
      await Promise.all(Array.from({ length: masters }, () => cluster.#startMaster()));
      const bound = (i: number): number => Math.round((i * SLOTS) / masters);
      for (const [i, { redis }] of cluster.masters.entries())
        await redis.call('CLUSTER', 'ADDSLOTSRANGE', bound(i), bound(i + 1) - 1);
      await cluster.#meet();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return `redis+cluster://${this.masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  async slotOf(key: string): Promise<number> {
    return Number(await this.masters[0]?.redis.cluster('KEYSLOT', key));
  }

  /** The master that has a slot. */
  async ownerOf(slot: number): Promise<ClusterMaster> {
    const ranges = (await this.masters[0]?.redis.cluster('SLOTS')) ?? [];
    const [, , [, port] = []] = ranges.find(([first, last]) => first <= slot && slot <= last) ?? [];
    const owner = this.masters.find((master) => master.port === port);
    if (!owner) throw new Error(`No master has the slot ${slot}.`);
    return owner;
  }

  /** It has no slots yet. */
  async addMaster(): Promise<ClusterMaster> {
    const master = await this.#startMaster();
    await this.#meet();
    return master;
  }

  /** Removes a master that has no slots any more, and stops it. */
  async removeMaster(master: ClusterMaster): Promise<void> {
    const id = await idOf(master);
    this.masters.splice(this.masters.indexOf(master), 1);
    await Promise.all(this.masters.map(({ redis }) => redis.call('CLUSTER', 'FORGET', id)));
    master.redis.disconnect();
    await this.#processes.get(master)?.stop(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { redis } of this.masters) redis.disconnect();
    await Promise.all([...this.#processes.values()].map((process) => process.stop(0)));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #startMaster(): Promise<ClusterMaster> {
    const program = findRedisServer(process.env);
    if (!program) throw new Error('no redis-server or valkey-server here: run `npm run setup`');
    const port = await freePort();
    const folder = join(this.#folder, String(port));
    await mkdir(folder);
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: folder,
      save: '',
      'maxmemory-policy': 'noeviction',
      'hash-max-listpack-value': '1024',
      'cluster-enabled': 'yes',
      // Not 10,000 above the port as usual, which may not be a valid port.
      'cluster-port': String(await freePort()),
      'cluster-node-timeout': '15000',
      // A master without slots stays one.
      'cluster-allow-replica-migration': 'no',
    };
    const started = await spawnGuarded(
      program,
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    );
    for (const output of [started.stdout, started.stderr]) output.resume();
    const redis = new Redis(port, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined); // it tries again
    const master = { port, redis };
    this.#processes.set(master, started);
    await redis.ping();
    this.masters.push(master);
    return master;
  }

  /** Resolves when all masters know each other, and all slots. */
  async #meet(): Promise<void> {
    const [first, ...others] = this.masters;
    for (const { redis, port } of others) {
      const [, busPort] = (await redis.config('GET', 'cluster-port')) as [string, string];
      await first?.redis.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
    }
    const wanted = new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${this.masters.length}\\b`);
    const isWhole = async ({ redis }: ClusterMaster): Promise<boolean> =>
      wanted.test(String(await redis.call('CLUSTER', 'INFO')));
    await until(async () => (await Promise.all(this.masters.map(isWhole))).every(Boolean), {
      what: 'the masters know each other',
    });
  }
}

async function idOf({ redis }: ClusterMaster): Promise<string> {
  return String(await redis.call('CLUSTER', 'MYID'));
}
