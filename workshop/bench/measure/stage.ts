import { Redis } from 'ioredis';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import type { GatewayProcess } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { serve } from './program.ts';

const PREFIX = 'bench';

/** Everything that is measured: a durable Redis (AOF everysec), one gateway, at most one worker, and the peer. */
export class Stage implements AsyncDisposable {
  readonly redisUrl: string;
  readonly redis: Redis;
  readonly redisPid: number;
  readonly gateway: GatewayProcess;
  readonly sdk: Program & { readonly url: string };
  readonly #stops: (() => Promise<unknown>)[];
  #worker: Program | undefined;

  private constructor(
    parts: Pick<Stage, 'redisUrl' | 'redis' | 'redisPid' | 'gateway' | 'sdk'>,
    stops: (() => Promise<unknown>)[],
  ) {
    this.redisUrl = parts.redisUrl;
    this.redis = parts.redis;
    this.redisPid = parts.redisPid;
    this.gateway = parts.gateway;
    this.sdk = parts.sdk;
    this.#stops = stops;
  }

  static async open(): Promise<Stage> {
    const folder = await temporaryFolder();
    const server = await startRedis({ appendOnly: true, folder: folder.path });
    const redis = new Redis(server.url);
    const gateway = await startGateway(server.url);
    const sdk = await serve('workshop/bench/peers/sdk-server.ts');
    const stops = [
      () => sdk.stop(),
      () => gateway.stop(),
      async () => redis.disconnect(),
      () => server.stop(),
      folder.remove,
    ];
    const stage = new Stage({ redisUrl: server.url, redis, redisPid: server.pid ?? 0, gateway, sdk }, stops);
    await stage.withWorker(); // announces the agent
    return stage;
  }

  get worker(): Program | undefined {
    return this.#worker;
  }

  /** Runs one worker from now on. */
  async withWorker(): Promise<Program> {
    if (this.#worker) return this.#worker;
    this.#worker = await startWorker(this.redisUrl);
    await this.#untilWorkers((count) => count > 0);
    return this.#worker;
  }

  /** Runs none. What is accepted waits. */
  async withoutWorker(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = undefined;
    await this.#untilWorkers((count) => count === 0);
  }

  /** Another gateway, which has done nothing yet: what others have left in its memory hides what is added. */
  freshGateway(): Promise<GatewayProcess> {
    return startGateway(this.redisUrl);
  }

  /** Tasks that are not completed yet. */
  unfinished(): Promise<number> {
    return this.redis.zcard(`${PREFIX}{s0}:outbox`);
  }

  async untilFinished(): Promise<void> {
    await until(async () => !(await this.unfinished()), { what: 'all tasks are completed', timeoutMs: 120_000 });
  }

  /** Forgets all tasks and jobs, once a worker that runs has none left. It goes on, and what is announced stays. */
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
    await this.#worker?.stop();
    for (const stop of this.#stops) await stop();
  }

  async #untilWorkers(isReached: (count: number) => boolean): Promise<void> {
    const isKnown = async (): Promise<boolean> => {
      const response = await fetch(`${this.gateway.url}/readyz`);
      const { workers = -1 } = (await response.json()) as { workers?: number };
      return isReached(workers);
    };
    // A worker that had to be killed is forgotten after its lease.
    await until(isKnown, { what: 'the gateway knows which workers run', timeoutMs: 40_000, everyMs: 50 });
  }
}

async function startGateway(redisUrl: string): Promise<GatewayProcess> {
  const env = {
    REDIS_URL: redisUrl,
    KEY_PREFIX: PREFIX,
    PORT: '0',
    GRPC_PORT: 'off',
    DEFAULT_AGENT: 'bench',
    LOG_LEVEL: 'info',
  };
  const program = await startProgram({ file: 'apps/gateway/src/main.ts', env });
  const [, url = ''] = await program.waitFor(/"url":"(http[^"]+)","msg":"listening"/, 30_000);
  return { ...program, url };
}

/** @param env differs from that of the stage's own worker */
export async function startWorker(redisUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
  return startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'workshop/bench/agents/bench.ts'],
    env: { REDIS_URL: redisUrl, KEY_PREFIX: PREFIX, LOG_LEVEL: 'warn', ...env },
  });
}
