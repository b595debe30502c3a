import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import type { GatewayProcess } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import { ask, numberOf } from './ask-redis.ts';
import type { Watched } from './meter.ts';

const PREFIX = 'capacity';
const AGENT = 'capacity';
/** Programs log as they do by default: that is part of what they cost. */
const LOG_LEVEL = 'info';

/** What is measured: a durable Redis (everysec), a gateway and at most one worker, as processes of their own. */
export class Deployment implements AsyncDisposable {
  readonly redisUrl: string;
  readonly gateway: GatewayProcess;
  readonly #redis: TestRedis;
  readonly #folder: string;
  #worker: Program | undefined;

  private constructor(redis: TestRedis, gateway: GatewayProcess, folder: string) {
    this.redisUrl = redis.url;
    this.gateway = gateway;
    this.#redis = redis;
    this.#folder = folder;
  }

  static async open(): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-capacity-'));
    const redis = await startRedis({ appendOnly: true, folder });
    // A file that is rewritten in between cannot be measured.
    await ask(redis.url, 'CONFIG SET auto-aof-rewrite-percentage 0');
    const deployment = new Deployment(redis, await startGateway(redis.url), folder);
    await deployment.withWorker(); // announces the agent
    return deployment;
  }

  get url(): string {
    return this.gateway.url;
  }

  get watched(): Watched {
    return { redisUrl: this.redisUrl, gateway: this.gateway.pid, worker: this.#worker?.pid };
  }

  async withWorker(): Promise<void> {
    if (this.#worker) return;
    this.#worker = await startWorker(this.redisUrl);
    await this.#untilKnown(1);
  }

  async withoutWorker(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = undefined;
    await this.#untilKnown(0);
  }

  /** Tasks that were ever accepted. */
  tasks(): Promise<number> {
    return numberOf(this.redisUrl, `ZCARD ${PREFIX}{s0}:x:default/anonymous/${AGENT}`);
  }

  /** Until every task has ended or waits for its client. */
  async drained(): Promise<void> {
    const left = (): Promise<number> => numberOf(this.redisUrl, `ZCARD ${PREFIX}{s0}:outbox`);
    await until(async () => (await left()) === 0, { what: 'all turns have ended', timeoutMs: 120_000, everyMs: 20 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.stop();
    await this.gateway.stop();
    await this.#redis.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #untilKnown(workers: number): Promise<void> {
    const isKnown = async (): Promise<boolean> => {
      const response = await fetch(`${this.url}/readyz`);
      const known = (await response.json()) as { workers?: number };
      return known.workers === workers;
    };
    await until(isKnown, { what: `the gateway knows ${workers} workers`, timeoutMs: 20_000 });
  }
}

export async function startGateway(redisUrl: string): Promise<GatewayProcess> {
  const program = await startProgram({
    file: 'apps/gateway/src/main.ts',
    env: { REDIS_URL: redisUrl, KEY_PREFIX: PREFIX, PORT: '0', GRPC_PORT: 'off', DEFAULT_AGENT: AGENT, LOG_LEVEL },
  });
  const [, url = ''] = await program.waitFor(/"url":"(http[^"]+)","msg":"listening"/, 30_000);
  return { ...program, url };
}

export async function startWorker(redisUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const worker = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'workshop/capacity/agents/capacity.ts'],
    env: { REDIS_URL: redisUrl, KEY_PREFIX: PREFIX, LOG_LEVEL, ...env },
  });
  await worker.waitFor(/"msg":"started"/, 30_000);
  return worker;
}
