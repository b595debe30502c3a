import { setTimeout as delay } from 'node:timers/promises';
import { type GuardedProcess, spawnGuarded } from '../processes/guarded-process.ts';
import { answersPing, hasFilesIn } from './redis-command.ts';
import { redisMemoryBytes } from './redis-memory.ts';

export const redisImage = 'redis:7.4-alpine';
/** Long, because a container's image may have to be downloaded first. */
const startTimeoutMs = 120_000;

export interface RedisFiles {
  readonly port: number;
  /** Folder of the append-only file. It must exist, and its path must not contain links. */
  readonly folder: string;
  readonly appendOnly: boolean;
}

export interface RedisServerSettings extends RedisFiles {
  readonly program: string;
}

export interface RedisServer extends GuardedProcess {
  readonly url: string;
}

/** Starts a Redis on loopback that never evicts keys, and resolves when it is ready. It ends with this process. */
export async function startRedisServer({ program, ...files }: RedisServerSettings): Promise<RedisServer> {
  const options = { port: String(files.port), bind: '127.0.0.1', dir: files.folder };
  return whenReady(await spawnGuarded(program, redisArguments(options, files)), files);
}

/** The same in a container, for machines with a Docker engine but without a Redis server. */
export async function startRedisContainer(files: RedisFiles): Promise<RedisServer> {
  const run = ['run', '--rm', '--init', '-p', `127.0.0.1:${files.port}:6379`, '-v', `${files.folder}:${files.folder}`];
  const user = ['--user', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`];
  const server = ['redis-server', ...redisArguments({ dir: files.folder }, files)];
  return whenReady(await spawnGuarded('docker', [...run, ...user, redisImage, ...server]), files);
}

async function whenReady(server: GuardedProcess, files: RedisFiles): Promise<RedisServer> {
  const log = collectLog(server);
  try {
    await untilReady(server, files);
  } catch (error) {
    await server.stop(0);
    throw new Error(`Redis did not start on port ${files.port}: ${lastLines(log())}`, { cause: error });
  }
  return { ...server, url: `redis://127.0.0.1:${files.port}` };
}

function redisArguments(given: Readonly<Record<string, string>>, { appendOnly }: RedisFiles): string[] {
  const options: Readonly<Record<string, string>> = {
    ...given,
    save: '',
    appendonly: appendOnly ? 'yes' : 'no',
    appendfsync: 'everysec',
    maxmemory: String(redisMemoryBytes()),
    'maxmemory-policy': 'noeviction',
    'hash-max-listpack-value': '1024',
    // Redis allocates a whole node for the first event of a task: 4096 bytes by default, of which most stay empty.
    'stream-node-max-bytes': '1024',
    // With the default of 64 MB, a busy Redis would rewrite its append-only file every few seconds.
    'auto-aof-rewrite-min-size': '256mb',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Waits until the server has loaded its files. Its folder is checked too: another Redis may use the port. */
async function untilReady(server: GuardedProcess, { port, folder }: RedisFiles): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (!server.isRunning()) throw new Error('the server ended');
    if ((await answersPing(port)) && (await hasFilesIn(folder, port))) return;
    await delay(10);
  }
  throw new Error(`not ready within ${startTimeoutMs} ms`);
}

function collectLog(server: GuardedProcess): () => string {
  let log = '';
  const keep = (chunk: unknown): void => {
    log = (log + String(chunk)).slice(-8_192);
  };
  server.stdout.on('data', keep);
  server.stderr.on('data', keep);
  return () => log;
}

function lastLines(log: string): string {
  return log.trim().split('\n').slice(-3).join(' | ');
}
