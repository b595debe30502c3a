import type { Redis } from 'ioredis';
import type { RedisAccess } from './address.ts';
import { onConnection } from './connection.ts';
import { infoOf, masterOf, mastersOf } from './servers.ts';

/** The configuration of a Redis, as far as it can be read: a managed Redis may refuse CONFIG. */
export interface RedisInspection {
  readonly address: string;
  /** Redis or Valkey, with its version. */
  readonly server: string;
  readonly maxmemoryPolicy: string | undefined;
  readonly isAppendOnly: boolean;
  /** The file that Redis could not write the last time, as when its disk is full: it refuses all writes. */
  readonly unwritten?: 'append-only file' | 'snapshot' | undefined;
  /** Bytes up to which a field of a hash is packed. */
  readonly listpackValue: number | undefined;
  /** Bytes that Redis allocates for the first events of a stream; 0: as many as they need. */
  readonly streamNodeBytes: number | undefined;
  readonly usedBytes: number;
  /** 0: no limit is set. */
  readonly maxBytes: number;
  /** Its clock against this machine's. */
  readonly clockAheadMs: number;
  /** Time of the fastest of five round trips. */
  readonly latencyMs: number;
  /** How many of the given keys it has. */
  readonly keys: number;
}

/**
 * Inspects each master, over a connection of its own.
 * @param keys are counted for each. @throws {RedisUnusable} no answer, or the address is wrong
 */
export function inspectRedis(access: RedisAccess, keys: readonly string[] = []): Promise<readonly RedisInspection[]> {
  return onConnection(access, (redis) => {
    const masters = keys.map((key) => masterOf(redis, key));
    const inspections = mastersOf(redis).map(async (node) => {
      return { ...(await inspect(node)), keys: masters.filter((each) => each === node).length };
    });
    return Promise.all(inspections);
  });
}

async function inspect(node: Redis): Promise<Omit<RedisInspection, 'keys'>> {
  const [info, listpackValue, streamNodeBytes, stopsWrites, save] = await Promise.all([
    infoOf(node),
    settingOf(node, 'hash-max-listpack-value'),
    settingOf(node, 'stream-node-max-bytes'),
    settingOf(node, 'stop-writes-on-bgsave-error'),
    settingOf(node, 'save'),
  ]);
  const needsSnapshots = stopsWrites !== 'no' && save !== '';
  const { valkey_version: valkey, redis_version: redis = '' } = info;
  return {
    address: `${node.options.host}:${node.options.port}`,
    server: valkey ? `Valkey ${valkey}` : `Redis ${redis}`,
    maxmemoryPolicy: info.maxmemory_policy,
    isAppendOnly: info.aof_enabled === '1',
    unwritten: unwrittenIn(info, needsSnapshots),
    listpackValue: orNumber(listpackValue),
    streamNodeBytes: orNumber(streamNodeBytes),
    usedBytes: Number(info.used_memory ?? 0),
    maxBytes: Number(info.maxmemory ?? 0),
    ...(await timesOf(node)),
  };
}

/** @param needsSnapshots whether it takes no writes after a snapshot that failed */
function unwrittenIn(
  info: Readonly<Record<string, string | undefined>>,
  needsSnapshots: boolean,
): RedisInspection['unwritten'] {
  if (info.aof_last_write_status === 'err') return 'append-only file';
  return needsSnapshots && info.rdb_last_bgsave_status === 'err' ? 'snapshot' : undefined;
}

/** @returns undefined: a managed Redis refuses this command, as do users without permission */
async function settingOf(node: Redis, name: string): Promise<string | undefined> {
  const answer = await node.config('GET', name).catch(() => undefined);
  return Array.isArray(answer) && answer[1] !== undefined ? String(answer[1]) : undefined;
}

const orNumber = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

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
