import { Redis } from 'ioredis';
import { type Program, startProgram } from '../../tests/support/process.ts';
import { startRedis, type TestRedis } from '../../tests/support/redis.ts';
import type { GatewayProcess } from '../../tests/support/stack.ts';
import { until } from '../../tests/support/until.ts';

const PREFIX = 'bench';

type Env = Readonly<Record<string, string>>;

export interface StageOptions {
  /** Root of another checkout whose gateway and worker run here. Default: this one. */
  readonly tree?: string;
  /** Settings of both. */
  readonly env?: Env;
}

/** The measured system: a durable Redis (AOF everysec), one gateway, at most one worker, and peers. */
export class Stage implements AsyncDisposable {
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly gateway: GatewayProcess;
  readonly #redisPid: number;
  readonly #tree: string | undefined;
  readonly #env: Env;
  readonly #peers = new Map<string, Promise<GatewayProcess>>();
  readonly #close: () => Promise<unknown>;
  #worker: Program | undefined;

  private constructor(server: TestRedis, gateway: GatewayProcess, { tree, env = {} }: StageOptions) {
    this.redisUrl = server.url;
    this.redis = new Redis(server.url);
    this.gateway = gateway;
    this.#redisPid = server.pid ?? 0;
    this.#tree = tree;
    this.#env = env;
    this.#close = async () => {
      this.redis.disconnect();
      await gateway.stop();
      await server.stop();
    };
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const server = await startRedis({ appendOnly: true });
    const stage = new Stage(server, await startGateway(server.url, options), options);
    await stage.withWorker(); // announces the agent
    return stage;
  }

  get worker(): Program | undefined {
    return this.#worker;
  }

  /** Process ids of all that runs, by name. */
  get pids(): Readonly<Record<string, number>> {
    const worker = this.#worker && { worker: this.#worker.pid };
    return { gateway: this.gateway.pid, redis: this.#redisPid, ...worker };
  }

  /** Starts the worker, unless it runs. */
  async withWorker(): Promise<void> {
    if (this.#worker) return;
    this.#worker = await this.startWorker({ LOG_LEVEL: 'warn' });
    await this.#untilWorkers((count) => count > 0);
  }

  /** Stops the worker: accepted messages wait. */
  async withoutWorker(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = undefined;
    await this.#untilWorkers((count) => count === 0);
  }

  /** Starts another worker, which the caller stops. */
  startWorker(env: Env): Promise<Program> {
    return startProgram({
      file: 'apps/worker/src/main.ts',
      args: ['--agents', 'workshop/bench/agents/bench.ts'],
      env: { REDIS_URL: this.redisUrl, KEY_PREFIX: PREFIX, ...this.#env, ...env },
      ...(this.#tree && { cwd: this.#tree }),
    });
  }

  /** Another gateway, fresh: memory of earlier work would hide what is added. */
  freshGateway(env: Env = {}): Promise<GatewayProcess> {
    return startGateway(this.redisUrl, { ...(this.#tree && { tree: this.#tree }), env: { ...this.#env, ...env } });
  }

  /** Creates an API key in Redis, for a gateway with AUTH=api-key. */
  async newApiKey(): Promise<string> {
    const args = ['keys', 'create', '--subject', 'bench'];
    const env = { REDIS_URL: this.redisUrl, KEY_PREFIX: PREFIX };
    const program = await startProgram({ file: 'apps/cli/src/main.ts', args, env });
    await program.exited;
    const [key] = /\bswk_\S+/.exec(program.output()) ?? [];
    if (key === undefined) throw new Error(`no key was made: ${program.output()}`);
    return key;
  }

  /** The URL of a peer, which is started if it does not run yet. */
  async peer(file: string, ...args: string[]): Promise<string> {
    const key = [file, ...args].join(' ');
    const peer = this.#peers.get(key) ?? startServer({ file, args }, /listening on (\S+)/);
    this.#peers.set(key, peer);
    return (await peer).url;
  }

  /** The published SDK's server. @param redisUrl where it keeps its tasks; left out: in its memory */
  readonly sdk = (...redisUrl: string[]): Promise<string> =>
    this.peer('workshop/bench/peers/sdk-server.ts', ...redisUrl);

  async stopPeers(): Promise<void> {
    const peers = await Promise.all(this.#peers.values());
    await Promise.all(peers.map((peer) => peer.stop()));
    this.#peers.clear();
  }

  /** Tasks that are not completed yet. */
  unfinished(): Promise<number> {
    return this.redis.zcard(`${PREFIX}{s0}:outbox`);
  }

  async untilFinished(): Promise<void> {
    await until(async () => !(await this.unfinished()), { what: 'all tasks are completed', timeoutMs: 120_000 });
  }

  /** Deletes all tasks and jobs, once a running worker has none left. The worker goes on, and announcements stay. */
  async clear(): Promise<void> {
    if (this.#worker) await this.untilFinished();
    const clearing = this.redis.multi().flushall();
    for (const key of await this.redis.keys(`${PREFIX}{agents}:*`)) {
      const announced = await this.redis.dumpBuffer(key);
      if (announced) clearing.restore(key, 0, announced);
    }
    await clearing.exec();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopPeers();
    await this.#worker?.stop();
    await this.#close();
  }

  async #untilWorkers(isReached: (count: number) => boolean): Promise<void> {
    const isKnown = async (): Promise<boolean> => {
      const response = await fetch(`${this.gateway.url}/agents`);
      const { agents } = (await response.json()) as { agents: readonly { isDefault: boolean; workers: number }[] };
      return isReached(agents.find(({ isDefault }) => isDefault)?.workers ?? 0);
    };
    // A worker that had to be killed is forgotten after its lease.
    await until(isKnown, { what: 'the gateway knows which workers run', timeoutMs: 40_000, everyMs: 50 });
  }
}

function startGateway(redisUrl: string, { tree, env }: StageOptions): Promise<GatewayProcess> {
  const own = { REDIS_URL: redisUrl, KEY_PREFIX: PREFIX, PORT: '0', GRPC_PORT: 'off', DEFAULT_AGENT: 'bench' };
  const settings = { ...own, LOG_LEVEL: 'info', ...env };
  const program = { file: 'apps/gateway/src/main.ts', env: settings, ...(tree && { cwd: tree }) };
  return startServer(program, /"url":"(http[^"]+)","msg":"listening"/);
}

async function startServer(options: Parameters<typeof startProgram>[0], listening: RegExp): Promise<GatewayProcess> {
  const program = await startProgram(options);
  const [, url = ''] = await program.waitFor(listening, 30_000);
  return { ...program, url };
}
