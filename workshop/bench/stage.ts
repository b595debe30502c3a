import { Redis } from 'ioredis';
import { type Program, startProgram } from '../../tests/support/process.ts';
import { startRedis } from '../../tests/support/redis.ts';
import { get } from '../../tests/support/rest.ts';
import { until } from '../../tests/support/until.ts';

const PREFIX = 'bench';

type Env = Readonly<Record<string, string>>;

export interface StageOptions {
  /** Root of another checkout, whose gateway and worker are measured. Default: this one. */
  readonly tree?: string;
  /** Settings of both. */
  readonly env?: Env;
}

/** The measured system: a durable Redis (AOF everysec), one gateway, at most one worker, and peers. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage({ tree, env: common = {} }: StageOptions = {}) {
  const server = await startRedis({ appendOnly: true });
  const redis = new Redis(server.url);
  const own = { REDIS_URL: server.url, KEY_PREFIX: PREFIX };
  const cwd = tree ? { cwd: tree } : {};
  let worker: Program | undefined;
  const peers = new Map<string, ReturnType<typeof startServer>>();

  /** Starts another, fresh gateway: free memory from earlier work would hide an increase. */
  const freshGateway = (env: Env = {}) => {
    const listening = { PORT: '0', GRPC_PORT: 'off', DEFAULT_AGENT: 'bench', LOG_LEVEL: 'info' };
    const settings = { ...own, ...listening, ...common, ...env };
    return startServer(
      { file: 'apps/gateway/src/main.ts', env: settings, ...cwd },
      /"url":"(http[^"]+)","msg":"listening"/,
    );
  };

  /** Starts another worker, which the caller stops. */
  const startWorker = (env: Env): Promise<Program> =>
    startProgram({
      file: 'apps/worker/src/main.ts',
      args: ['--agents', 'workshop/bench/agents/bench.ts'],
      env: { ...own, ...common, ...env },
      ...cwd,
    });

  const gateway = await freshGateway();

  const untilWorkers = (isReached: (count: number) => boolean): Promise<boolean> => {
    const isKnown = async (): Promise<boolean> => {
      const { body } = await get<{ agents: readonly { isDefault: boolean; workers: number }[] }>(
        `${gateway.url}/agents`,
      );
      return isReached(body.agents.find(({ isDefault }) => isDefault)?.workers ?? 0);
    };
    // A killed worker is forgotten after its lease.
    return until(isKnown, { what: 'the gateway knows which workers run', timeoutMs: 40_000, everyMs: 50 });
  };

  /** Starts the worker, unless it runs. */
  const withWorker = async (): Promise<void> => {
    if (worker) return;
    worker = await startWorker({ LOG_LEVEL: 'warn' });
    await untilWorkers((count) => count > 0);
  };

  /** Stops the worker: accepted messages wait. */
  const withoutWorker = async (): Promise<void> => {
    await worker?.stop();
    worker = undefined;
    await untilWorkers((count) => count === 0);
  };

  /** The URL of a peer, which is started if necessary. */
  const peer = async (file: string, ...args: string[]): Promise<string> => {
    const key = [file, ...args].join(' ');
    const started = peers.get(key) ?? startServer({ file, args }, /listening on (\S+)/);
    peers.set(key, started);
    return (await started).url;
  };

  const stopPeers = async (): Promise<void> => {
    const all = await Promise.all(peers.values());
    await Promise.all(all.map((one) => one.stop()));
    peers.clear();
  };

  /** Number of tasks that are not completed yet. */
  const unfinished = (): Promise<number> => redis.zcard(`${PREFIX}{s0}:outbox`);

  const untilFinished = async (): Promise<void> => {
    await until(async () => !(await unfinished()), { what: 'all tasks are completed', timeoutMs: 120_000 });
  };

  /** The time up to which the worker has copied ended tasks to its archive. */
  const copiesUpTo = (): Promise<string | null> => redis.get(`${PREFIX}{s0}:outbox:archived`);

  /** Deletes all tasks and jobs, once a running worker has none left. The worker stays, and so do announcements. */
  const clear = async (): Promise<void> => {
    if (worker) await untilFinished();
    const clearing = redis.multi().flushall();
    for (const key of await redis.keys(`${PREFIX}{agents}:*`)) {
      const announced = await redis.dumpBuffer(key);
      if (announced) clearing.restore(key, 0, announced);
    }
    await clearing.exec();
  };

  await withWorker(); // announces the agent
  return {
    redis,
    redisUrl: server.url,
    gateway,
    freshGateway,
    startWorker,
    withWorker,
    withoutWorker,
    peer,
    /** The published SDK's server. @param redisUrl where it keeps its tasks; default: in memory */
    sdk: (...redisUrl: string[]): Promise<string> => peer('workshop/bench/peers/sdk-server.ts', ...redisUrl),
    stopPeers,
    unfinished,
    untilFinished,
    copiesUpTo,
    clear,
    get worker() {
      return worker;
    },
    /** Process ids of all running programs, by name. */
    get pids(): Readonly<Record<string, number>> {
      return { gateway: gateway.pid, redis: server.pid ?? 0, ...(worker && { worker: worker.pid }) };
    },
    /** Creates an API key in Redis, for a gateway with AUTH=api-key. */
    async newApiKey(): Promise<string> {
      const args = ['keys', 'create', '--subject', 'bench'];
      const program = await startProgram({ file: 'apps/cli/src/main.ts', args, env: own });
      const [, key = ''] = await program.waitFor(/\b(swk_\S+)\s/, 30_000);
      return key;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await stopPeers();
      await worker?.stop();
      redis.disconnect();
      await gateway.stop();
      await server.stop();
    },
  };
}

async function startServer(options: Parameters<typeof startProgram>[0], listening: RegExp) {
  const program = await startProgram(options);
  const [, url = ''] = await program.waitFor(listening, 30_000);
  return { ...program, url };
}
