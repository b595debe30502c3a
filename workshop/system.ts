import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../tests/support/redis.ts';
import { type StackOptions, startStack } from '../tests/support/stack.ts';

/** A folder that is removed with its owner. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'switchyard-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/**
 * Gateways, the first of which is named, and workers on a Redis of their own with an append-only file, as in
 * production: on loopback, stopped with their owner.
 */
export async function startOwnSystem({ env, ...options }: Omit<StackOptions, 'redisUrl'>) {
  await using parts = new AsyncDisposableStack();
  const redis = parts.adopt(await startRedis({ appendOnly: true }), ({ stop }) => stop());
  const settings = { LOG_LEVEL: 'info', GRPC_PORT: 'off', ...env };
  const stack = parts.use(await startStack({ redisUrl: redis.url, env: settings, ...options }));
  const [gateway] = stack.gateways;
  if (!gateway) throw new Error('the gateway did not start');
  const kept = parts.move();
  return { redis, stack, gateway, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
