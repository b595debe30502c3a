import { setTimeout as delay } from 'node:timers/promises';
import { type GuardedProcess, spawnGuarded } from '../processes/guarded-process.ts';
import { answersPing, keepsFilesIn } from './redis-command.ts';

export const redisImage = 'redis:7.4-alpine';
/** A container's image may have to be fetched first. */
const answerWithinMs = 120_000;

export interface RedisFiles {
  readonly port: number;
  /** The append-only file goes here. A real path (no links), and it must exist. */
  readonly folder: string;
  readonly appendOnly: boolean;
}

export interface RedisServerSettings extends RedisFiles {
  readonly program: string;
}

export interface RedisServer extends GuardedProcess {
  readonly url: string;
}

/** Starts a loopback-only Redis that never evicts, and resolves once it answers. Its life is tied to ours. */
export async function startRedisServer({ program, ...files }: RedisServerSettings): Promise<RedisServer> {
  const place = { port: String(files.port), bind: '127.0.0.1', dir: files.folder };
  return onceItAnswers(await spawnGuarded(program, redisArguments(place, files)), files);
}

/** The same in a container, for machines that have a Docker engine and no redis-server. */
export async function startRedisContainer(files: RedisFiles): Promise<RedisServer> {
  const run = ['run', '--rm', '--init', '-p', `127.0.0.1:${files.port}:6379`, '-v', `${files.folder}:${files.folder}`];
  const user = ['--user', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`];
  const server = ['redis-server', ...redisArguments({ dir: files.folder }, files)];
  return onceItAnswers(await spawnGuarded('docker', [...run, ...user, redisImage, ...server]), files);
}

async function onceItAnswers(server: GuardedProcess, files: RedisFiles): Promise<RedisServer> {
  const log = collectLog(server);
  try {
    await untilReady(server, files);
  } catch (error) {
    await server.stop(0);
    throw new Error(`Redis did not start on port ${files.port}: ${lastLines(log())}`, { cause: error });
  }
  return { ...server, url: `redis://127.0.0.1:${files.port}` };
}

function redisArguments(place: Readonly<Record<string, string>>, { appendOnly }: RedisFiles): string[] {
  const options: Readonly<Record<string, string>> = {
    ...place,
    save: '',
    appendonly: appendOnly ? 'yes' : 'no',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
    'hash-max-listpack-value': '1024',
    // Tasks come and go: at the default of 64 MB a busy Redis would rewrite its file every few seconds.
    'auto-aof-rewrite-min-size': '256mb',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

/**
 * A big append-only file takes a while to load, and another Redis may sit on the port: it is ours and ready when it
 * names our folder and answers.
 */
async function untilReady(server: GuardedProcess, { port, folder }: RedisFiles): Promise<void> {
  const deadline = Date.now() + answerWithinMs;
  while (Date.now() < deadline) {
    if (!server.isRunning()) throw new Error('the server ended');
    if ((await answersPing(port)) && (await keepsFilesIn(folder, port))) return;
    await delay(10);
  }
  throw new Error(`not ready within ${answerWithinMs} ms`);
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
