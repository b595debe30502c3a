import { startRedis } from '../../../tests/support/redis.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { TargetError } from './find-agent.ts';

/**
 * A gateway, workers with the agent of load/agents, and a Redis with an append-only file: on loopback, gone with the
 * run.
 */
export interface OwnGateway extends AsyncDisposable {
  readonly url: URL;
  /** Process ids, by name. */
  readonly pids: Readonly<Record<string, number>>;
}

/** @param signal gives up  @throws {TargetError} when a part of it does not start */
export async function startOwnGateway(workers: number, signal: AbortSignal): Promise<OwnGateway> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await temporaryFolder());
  const redis = await startRedis({ appendOnly: true, folder: folder.path }).catch(noRedis);
  parts.defer(redis.stop);
  const stack = await startStack({
    redisUrl: redis.url,
    agents: ['workshop/load/agents/load.ts'],
    workers,
    env: { DEFAULT_AGENT: 'load', GRPC_PORT: 'off', LOG_LEVEL: 'info' },
  }).catch(refused);
  parts.use(stack);
  if (signal.aborted) throw new TargetError('Stopped before it began');
  const [gateway] = stack.gateways;
  const named = stack.workers.map(({ pid }, i) => [workers === 1 ? 'worker' : `worker ${i + 1}`, pid]);
  const pids = { ...(redis.pid && { redis: redis.pid }), gateway: gateway?.pid ?? 0, ...Object.fromEntries(named) };
  const own = parts.move();
  return { url: new URL(gateway?.url ?? ''), pids, [Symbol.asyncDispose]: () => own.disposeAsync() };
}

function noRedis(error: unknown): never {
  throw new TargetError(`${wordsOf(error)}\nOr load a gateway that runs, with --url`, { cause: error });
}

function refused(error: unknown): never {
  throw new TargetError(`The own gateway did not start: ${wordsOf(error)}`, { cause: error });
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
