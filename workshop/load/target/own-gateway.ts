import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedRedis } from '../../../scripts/processes/embedded-redis.ts';
import { freePort } from '../../../scripts/processes/free-port.ts';
import { untilReady } from '../../../scripts/start/until-ready.ts';
import { listened, type OwnPart, startOwnPart } from './own-part.ts';
import { TargetError } from './target.ts';

const READY_WITHIN_MS = 60_000;

export interface OwnGatewaySettings {
  readonly workers: number;
  /** PATH and HOME of whoever runs it. */
  readonly env: Readonly<Record<'PATH' | 'HOME', string>>;
  /** Gives up waiting. */
  readonly signal: AbortSignal;
}

/**
 * A gateway, workers with the agent of load/agents, and a Redis with an append-only file: on loopback, gone with the
 * run.
 */
export interface OwnGateway extends AsyncDisposable {
  readonly url: URL;
  /** Process ids, by name. */
  readonly pids: Readonly<Record<string, number>>;
}

/** @throws {TargetError} when a part of it does not start */
export async function startOwnGateway({ workers, env, signal }: OwnGatewaySettings): Promise<OwnGateway> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-load-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const embedded = await openEmbeddedRedis({ folder });
  stack.defer(embedded.release);
  const redis = listened('redis', await embedded.start().catch(noRedis));
  stack.defer(redis.stop);
  const port = await freePort();
  const shared = { ...env, REDIS_URL: embedded.url, KEY_PREFIX: 'load', LOG_LEVEL: 'warn', DRAIN_MS: '0' };
  const gateway = { PORT: String(port), GRPC_PORT: 'off', DEFAULT_AGENT: 'load', ...shared };
  const parts = await Promise.all([
    startOwnPart({ name: 'gateway', file: 'apps/gateway/src/main.ts', env: gateway }),
    ...Array.from({ length: workers }, (_, i) =>
      startOwnPart({
        name: workers === 1 ? 'worker' : `worker ${i + 1}`,
        file: 'apps/worker/src/main.ts',
        args: ['--agents', 'workshop/load/agents/load.ts'],
        env: shared,
      }),
    ),
  ]);
  stack.defer(async () => void (await Promise.all(parts.map((part) => part.stop()))));
  const url = new URL(`http://127.0.0.1:${port}`);
  await isReady(url, parts, signal);
  const pids = Object.fromEntries([redis, ...parts].map(({ name, pid }) => [name, pid]));
  const own = stack.move();
  return { url, pids, [Symbol.asyncDispose]: () => own.disposeAsync() };
}

function noRedis(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new TargetError(`${why}\nnpm run setup installs a Redis; or load a gateway that runs, with --url`, {
    cause: error,
  });
}

async function isReady(url: URL, parts: readonly OwnPart[], signal: AbortSignal): Promise<void> {
  const ended = Promise.race(parts.map(async (part) => ({ code: await part.exited, part })));
  const giveUp = AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]);
  const first = await Promise.race([untilReady(url.origin, giveUp), ended]);
  if (first === true) return;
  if (first === false)
    throw new TargetError(signal.aborted ? 'Stopped before it began' : 'The own gateway was not ready in time');
  throw new TargetError(`The own ${first.part.name} ended with ${first.code}:\n${first.part.lastWords()}`);
}
