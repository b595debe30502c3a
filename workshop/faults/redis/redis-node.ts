import { execFile } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, type GuardedProcess, sendRedisCommand, spawnGuarded } from '@switchyard/local';
import { until } from '../../../tests/support/until.ts';

export interface RedisNodeOptions {
  /** The folder for its own folder of files, with which it can be started again. */
  readonly folder: string;
  /** Settings besides those of every node: `{ 'cluster-enabled': 'yes' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Default: a free port. */
  readonly port?: number;
  /** `requirepass`. */
  readonly password?: string;
  /** Runs as a sentinel, with this configuration file. */
  readonly sentinelFile?: string;
}

/** The machine may do other things, and Redis may load or write its files. */
const ANSWERS_WITHIN_MS = 30_000;
/** The end of a process may be seen after that of its connections. */
const END_IS_SEEN_WITHIN_MS = 200;
const KEPT_OUTPUT = 2_000;

/** One redis-server process of this machine, which can be killed, frozen and started again. */
export class RedisNode implements AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  readonly #arguments: readonly string[];
  /** The current password. */
  #password: string | undefined;
  #process: GuardedProcess | undefined;
  /** The last characters of what it has logged. */
  #output = '';
  #isKilled = false;

  private constructor(port: number, folder: string, { settings = {}, sentinelFile, password }: RedisNodeOptions) {
    this.port = port;
    this.folder = folder;
    this.#password = password;
    const place = { port: String(port), bind: '127.0.0.1', dir: folder };
    const all: Readonly<Record<string, string>> = { ...place, ...(password && { requirepass: password }), ...settings };
    const options = Object.entries(all).flatMap(([name, value]) => [`--${name}`, ...value.split(' ')]);
    this.#arguments = sentinelFile ? [sentinelFile, '--sentinel'] : options;
  }

  static async create(options: RedisNodeOptions): Promise<RedisNode> {
    const port = options.port ?? (await freePort());
    const folder = join(await realpath(options.folder), String(port));
    await mkdir(folder, { recursive: true });
    return new RedisNode(port, folder, options);
  }

  /** Resolves once it answers, with its data if it kept any. */
  async start(): Promise<void> {
    // A write beyond the limit of `limitFileSize` fails, as on a full disk, and does not kill it.
    const ignoring = ['-c', 'trap "" XFSZ; exec redis-server "$@"', 'redis', ...this.#arguments];
    this.#process = await spawnGuarded('/bin/sh', ignoring);
    this.#isKilled = false;
    for (const output of [this.#process.stdout, this.#process.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
      });
    const answers = async (): Promise<boolean> => (await this.ask('PING', 500)).startsWith('+PONG');
    await until(answers, { what: `the Redis at port ${this.port} answers`, timeoutMs: 30_000, everyMs: 20 });
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /**
   * The raw reply to an inline command. A node that may be dead or frozen is asked with a short time.
   * @throws {Error} with the last lines of its log, if it has ended and `kill` was not called
   */
  async ask(command: string, timeoutMs = ANSWERS_WITHIN_MS): Promise<string> {
    const login = this.#password === undefined ? '' : `AUTH ${this.#password}\r\n`;
    try {
      const reply = await sendRedisCommand(this.port, login + command, timeoutMs);
      return login ? reply.replace(/^\+OK\r\n/, '') : reply;
    } catch (cause) {
      const code = await Promise.race([this.#process?.exited, delay(END_IS_SEEN_WITHIN_MS)]);
      if (code === undefined || this.#isKilled) throw cause;
      const what = `the Redis at port ${this.port} has ended by itself with ${code}`;
      throw new Error(`${what}; its log ends with:\n${this.#output}`, { cause });
    }
  }

  /** Changes its password, also for connected clients. @returns the old one */
  async changePassword(password: string): Promise<string> {
    const before = this.#password ?? '';
    await this.ask(`CONFIG SET requirepass ${password}`);
    this.#password = password;
    await this.ask('CLIENT KILL TYPE normal SKIPME yes');
    await this.ask('CLIENT KILL TYPE pubsub');
    return before;
  }

  /** Limits the size of its files to the current size of the append-only file, like a full disk. */
  async fillDisk(isFull: boolean): Promise<void> {
    const size = /aof_current_size:(\d+)/.exec(await this.ask('INFO persistence'))?.[1] ?? '0';
    await promisify(execFile)('prlimit', [
      '--pid',
      String(this.pid),
      `--fsize=${isFull ? size : 'unlimited'}:unlimited`,
    ]);
  }

  /** SIGKILL: nothing is flushed, and no client is notified. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    await this.#process?.stop(0);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  /** SIGSTOP: connections stay open, but nothing is answered. */
  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }
}

/** Settings of every Redis that stores tasks. */
export const dataSettings = {
  save: '',
  appendonly: 'yes',
  appendfsync: 'everysec',
  'maxmemory-policy': 'noeviction',
  'hash-max-listpack-value': '1024',
  'stream-node-max-bytes': '1024',
  'repl-diskless-sync-delay': '0',
  'repl-timeout': '5',
} as const;
