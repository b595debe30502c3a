import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer, freePort, redisImage, startRedisServer } from '@switchyard/local';
import { inspectMasters } from '@switchyard/store';
import { isDockerRunning } from './docker.ts';

export interface TestRedis {
  readonly url: string;
  /** Only if the server is a process of this machine. */
  readonly pid?: number;
  stop(): Promise<void>;
  /** SIGKILL: nothing is flushed. It can be started again with the same folder and port. */
  kill(): Promise<void>;
}

export interface TestRedisOptions {
  /** Keeps an append-only file, in `folder`. */
  readonly appendOnly?: boolean;
  /** Folder of its files. Default: a temporary folder, removed with the server. */
  readonly folder?: string;
  /** Default: a free port. */
  readonly port?: number;
}

/** The server that `npm run test:servers` has put on PATH, such as `Valkey 9.1.2`. */
const { TEST_SERVER: wantedServer } = process.env;

/**
 * A private, real Redis: a container if a Docker engine answers, else a redis-server or valkey-server on a free
 * loopback port. It ends with this process, however this process ends. `REDIS_URL` is deliberately ignored.
 * @throws {Error} it is another server than `npm run test:servers` was told to use
 */
export async function startRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  if (wantedServer === undefined && (await isDockerRunning())) return startContainer(options);
  const redis = await startProcess(options);
  if (wantedServer !== undefined) await requireServer(redis, wantedServer);
  return redis;
}

async function requireServer(redis: TestRedis, wanted: string): Promise<void> {
  const [found] = await inspectMasters({ redisUrl: redis.url, prefix: 'sw', shards: 1 });
  if (found?.server === wanted) return;
  await redis.stop();
  throw new Error(`${found?.server} answers instead of ${wanted}`);
}

async function startContainer({ appendOnly = false, folder, port }: TestRedisOptions): Promise<TestRedis> {
  const { GenericContainer } = await import('testcontainers');
  const command = ['redis-server', '--save', '', '--appendonly', appendOnly ? 'yes' : 'no'];
  const container = await new GenericContainer(redisImage)
    .withExposedPorts(port ? { container: 6379, host: port } : 6379)
    .withBindMounts(folder ? [{ source: folder, target: '/data' }] : [])
    .withCommand([...command, '--maxmemory-policy', 'noeviction'])
    .start();
  const end = (timeout: number) => async (): Promise<void> => {
    await container.stop({ timeout });
  };
  return { url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`, stop: end(5_000), kill: end(0) };
}

async function startProcess({ appendOnly = false, ...options }: TestRedisOptions): Promise<TestRedis> {
  const program = findRedisServer(process.env);
  if (!program) throw new Error('no redis-server or valkey-server and no Docker engine here: run `npm run setup`');
  const folder = await realpath(options.folder ?? (await mkdtemp(join(tmpdir(), 'switchyard-redis-'))));
  const port = options.port ?? (await freePort());
  const server = await startRedisServer({ program, port, folder, appendOnly });
  const end = (withinMs: number) => async (): Promise<void> => {
    await server.stop(withinMs);
    if (!options.folder) await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, pid: server.pid, stop: end(5_000), kill: end(0) };
}
