import type { Redis } from 'ioredis';
import { onConnection } from '../redis/connection.ts';
import { infoOf, mastersOf } from '../redis/masters.ts';
import type { RedisAccess } from '../redis/settings.ts';

/** How a Redis is set up, as far as it says: a managed one may not tell its configuration. */
export interface RedisInspection {
  readonly address: string;
  /** Redis or Valkey, with its version. */
  readonly server: string;
  readonly maxmemoryPolicy: string | undefined;
  readonly isAppendOnly: boolean;
  /** Bytes up to which a field of a hash is packed. */
  readonly listpackValue: number | undefined;
  readonly usedBytes: number;
  /** 0: as much as the machine has. */
  readonly maxBytes: number;
  /** Its clock against this machine's. */
  readonly clockAheadMs: number;
  /** Of the fastest of five trips. */
  readonly latencyMs: number;
}

/** Of each master. Opens a connection of its own. @throws {StoreError} it does not answer, or the address is wrong */
export function inspectRedis(access: RedisAccess): Promise<readonly RedisInspection[]> {
  return onConnection(access, (redis) => Promise.all(mastersOf(redis).map(inspect)));
}

async function inspect(node: Redis): Promise<RedisInspection> {
  const [info, listpackValue] = await Promise.all([infoOf(node), listpackValueOf(node)]);
  const { valkey_version: valkey, redis_version: redis = '' } = info;
  return {
    address: `${node.options.host}:${node.options.port}`,
    server: valkey ? `Valkey ${valkey}` : `Redis ${redis}`,
    maxmemoryPolicy: info.maxmemory_policy,
    isAppendOnly: info.aof_enabled === '1',
    listpackValue,
    usedBytes: Number(info.used_memory ?? 0),
    maxBytes: Number(info.maxmemory ?? 0),
    ...(await timesOf(node)),
  };
}

async function listpackValueOf(node: Redis): Promise<number | undefined> {
  const name = 'hash-max-listpack-value';
  // Refused by a managed Redis, or to a user without the right.
  const answer = await node.config('GET', name).catch(() => undefined);
  const value = Array.isArray(answer) ? answer[1] : undefined;
  return value === undefined ? undefined : Number(value);
}

async function timesOf(node: Redis): Promise<Pick<RedisInspection, 'clockAheadMs' | 'latencyMs'>> {
  let latencyMs = Number.POSITIVE_INFINITY;
  let clockAheadMs = 0;
  for (let trip = 0; trip < 5; trip++) {
    const begun = performance.now();
    const sentAt = Date.now();
    const [seconds, microseconds] = await node.time();
    const tookMs = performance.now() - begun;
    if (tookMs >= latencyMs) continue;
    latencyMs = tookMs;
    clockAheadMs = Math.round(Number(seconds) * 1_000 + Number(microseconds) / 1_000 - sentAt - tookMs / 2);
  }
  return { clockAheadMs, latencyMs: Math.round(latencyMs * 10) / 10 };
}
