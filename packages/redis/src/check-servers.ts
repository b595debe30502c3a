import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import { RedisUnusable } from './errors.ts';
import { infoOf, mastersOf } from './servers.ts';

/** The first version with sharded channels (SPUBLISH). A Valkey names the Redis version that it is compatible with. */
const OLDEST_REDIS = 7;

/** Refuses a Redis that is too old, or that would lose keys silently. @throws {RedisUnusable} */
export async function checkServers(redis: RedisConnection): Promise<void> {
  await Promise.all(mastersOf(redis).map(checkServer));
}

async function checkServer(node: Redis): Promise<void> {
  const { redis_version: version, maxmemory_policy: policy } = await infoOf(node);
  const problem = versionProblem(version);
  if (problem) throw new RedisUnusable(problem);
  if (policy && policy !== 'noeviction')
    throw new RedisUnusable(`Redis may evict tasks: its maxmemory-policy is "${policy}". Set it to noeviction.`);
}

/** Why a server of this version cannot be used; undefined if it can, or does not tell its version. */
export function versionProblem(version = `${OLDEST_REDIS}`): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_REDIS) return undefined;
  return `Redis ${version} is too old: it has no sharded channels. Use Redis 7.0 or Valkey 7.2, or later.`;
}

/**
 * The version whose insides `script-command.ts` (how a command becomes bytes), `deadline.ts` and `connection.ts` (the
 * method in which every command ends) override.
 */
const KNOWN_IOREDIS = '6.0.0';

/** Why the installed ioredis cannot be used; undefined if it can. */
export function ioredisProblem(version = installedVersion()): string | undefined {
  if (version === KNOWN_IOREDIS) return undefined;
  return `ioredis ${version} is installed, and this store overrides insides of ${KNOWN_IOREDIS}: install that version.`;
}

function installedVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('ioredis/package.json');
  return version;
}
