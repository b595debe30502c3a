import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { askRedis } from '../../../scripts/processes/ask-redis.ts';
import { freePort } from '../../../scripts/processes/free-port.ts';
import { type Guarded, spawnGuarded } from '../../../scripts/processes/guard.ts';
import { until } from '../../../tests/support/until.ts';

export interface RedisNodeOptions {
  /** Its files go into a folder of its own in here, so that it can be started again with what it had. */
  readonly folder: string;
  /** Beside what every node has: `{ 'cluster-enabled': 'yes' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A free one when left out. */
  readonly port?: number;
  /** Runs as a sentinel, with this configuration file. */
  readonly sentinelFile?: string;
}

/** One redis-server process of this machine that may be killed, stopped for a while and started again. */
export class RedisNode {
  readonly port: number;
  readonly folder: string;
  readonly #arguments: readonly string[];
  #process: Guarded | undefined;

  private constructor(port: number, folder: string, { settings = {}, sentinelFile }: RedisNodeOptions) {
    this.port = port;
    this.folder = folder;
    const all: Readonly<Record<string, string>> = { port: String(port), bind: '127.0.0.1', dir: folder, ...settings };
    const options = Object.entries(all).flatMap(([name, value]) => [`--${name}`, ...value.split(' ')]);
    this.#arguments = sentinelFile ? [sentinelFile, '--sentinel'] : options;
  }

  static async create(options: RedisNodeOptions): Promise<RedisNode> {
    const port = options.port ?? (await freePort());
    const folder = join(await realpath(options.folder), String(port));
    await mkdir(folder, { recursive: true });
    return new RedisNode(port, folder, options);
  }

  /** Resolves once it answers; with its data, if it kept any. */
  async start(): Promise<void> {
    this.#process = await spawnGuarded('redis-server', this.#arguments);
    for (const output of [this.#process.stdout, this.#process.stderr]) output.resume();
    const answers = async (): Promise<boolean> => (await this.ask('PING')).startsWith('+PONG');
    await until(answers, { what: `the Redis at port ${this.port} answers`, timeoutMs: 30_000, everyMs: 20 });
  }

  get isRunning(): boolean {
    return this.#process?.isRunning() ?? false;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The raw reply to an inline command. */
  ask(command: string, timeoutMs?: number): Promise<string> {
    return askRedis(this.port, command, timeoutMs);
  }

  /** SIGKILL: nothing is flushed, no client is told. */
  async kill(): Promise<void> {
    await this.#process?.stop(0);
  }

  /** SIGSTOP: connections stay open, nothing is answered. */
  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }
}

/** What every Redis with tasks in it is run with. */
export const dataSettings = {
  save: '',
  appendonly: 'yes',
  appendfsync: 'everysec',
  'maxmemory-policy': 'noeviction',
  'hash-max-listpack-value': '1024',
  'repl-diskless-sync-delay': '0',
  'repl-timeout': '5',
} as const;
