import { infoOf, mastersOf } from '@switchyard/redis';
import { queueRoot, queuesOf, type ShardKeys, scopeOf, shareOfShard } from '@switchyard/store/inside';
import { archiveDelays } from './archiver.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** A limit of which four fifths or more are used. */
export interface NearLimit {
  readonly limit:
    | 'memory'
    | 'connections'
    | 'waiting-messages'
    | 'open-tasks'
    | 'kept-tasks'
    | 'open-tasks-of-tenant'
    | 'scheduled-tasks'
    | 'streams'
    | 'file-volume'
    /** Milliseconds that a task waits to be copied to the archive, of those that Redis keeps it. */
    | 'archive-delay';
  /** What sets it: a setting of Switchyard, or `maxmemory` and `maxclients` of Redis. */
  readonly setting: string;
  /** Whom or what it limits, for people; of several shards, the part of one. */
  readonly of: string;
  readonly used: number;
  readonly max: number;
}

/** How long ended tasks are kept. */
export interface KeptTasks {
  /** As `RETENTION_MS` says. */
  readonly wantedMs: number;
  /** Shorter while memory is short. */
  readonly keptMs: number;
}

/** The share from which a limit is listed. */
const NEARLY = 0.8;
/** Of quotas, at most. */
const MAX_QUOTAS = 100;
const NOTED_FOR_MS = 3_600_000;

export const isNear = ({ used, max }: Pick<NearLimit, 'used' | 'max'>): boolean => max > 0 && used >= NEARLY * max;

/** The limits that are nearly reached, the fullest first. Its cost does not depend on the number of tasks. */
export async function nearLimits(dependencies: OperatorDependencies): Promise<NearLimit[]> {
  const found = await Promise.all([
    limitsOfRedis(dependencies),
    waitingMessages(dependencies),
    quotas(dependencies),
    archiveDelay(dependencies),
  ]);
  return found
    .flat()
    .filter(isNear)
    .sort((a, b) => b.used / b.max - a.used / a.max);
}

/**
 * Whether ended tasks have to go before their retention is over, because memory is nearly full, or somebody has nearly as
 * many as `MAX_KEPT_TASKS`, which gateways know. With an archive, only those go that are copied.
 */
export async function isShortOfRoom(dependencies: OperatorDependencies): Promise<boolean> {
  const { redis, shards } = dependencies;
  const [ofRedis, rooms] = await Promise.all([
    limitsOfRedis(dependencies).catch(unlessRefused),
    Promise.all(shards.all.map(({ room }) => redis.hgetall(room))),
  ]);
  const since = Date.now() - NOTED_FOR_MS;
  return (
    ofRedis.some((limit) => limit.limit === 'memory' && isNear(limit)) ||
    rooms.some((room) => Object.entries(room).some(([name, at]) => name.startsWith('near kept ') && Number(at) > since))
  );
}

/** A managed Redis may refuse INFO: then its memory is not watched. */
function unlessRefused(error: Error): NearLimit[] {
  if (error.name !== 'ReplyError') throw error;
  return [];
}

/** How long ended tasks were kept in the last hour at least. */
export async function keptTasks({ redis, shards, settings }: OperatorDependencies): Promise<KeptTasks> {
  const wantedMs = settings.retentionMs;
  const dropped = await Promise.all(shards.all.map(({ room }) => redis.hmget(room, 'at', 'kept_ms')));
  const lately = dropped.filter(([at]) => Number(at ?? 0) > Date.now() - NOTED_FOR_MS);
  return { wantedMs, keptMs: Math.min(wantedMs, ...lately.map(([, keptMs]) => Number(keptMs))) };
}

async function limitsOfRedis({ redis }: OperatorDependencies): Promise<NearLimit[]> {
  const masters = await Promise.all(
    mastersOf(redis).map(async (node): Promise<NearLimit[]> => {
      const [memory, clients] = await Promise.all([infoOf(node, 'memory'), infoOf(node, 'clients')]);
      const of = `Redis at ${node.options.host}:${node.options.port}`;
      const used = Number(memory.used_memory ?? 0) - Number(memory.mem_not_counted_for_evict ?? 0);
      const connected = Number(clients.connected_clients ?? 0);
      return [
        { limit: 'memory', setting: 'maxmemory', of, used, max: Number(memory.maxmemory ?? 0) },
        { limit: 'connections', setting: 'maxclients', of, used: connected, max: Number(clients.maxclients ?? 0) },
      ];
    }),
  );
  return masters.flat();
}

async function waitingMessages({ redis, shards, registry, settings }: OperatorDependencies): Promise<NearLimit[]> {
  const max = settings.maxWaiting;
  if (max === 0) return [];
  const queues = (await registry.list()).flatMap(queuesOf);
  return Promise.all(
    queues.flatMap((of) =>
      shards.all.map(async (keys): Promise<NearLimit> => {
        const used = await redis.zcard(`${queueRoot(of, keys)}prioritized`);
        return { limit: 'waiting-messages', setting: 'MAX_WAITING', of, used, max };
      }),
    ),
  );
}

/** Of all shards the longest. Redis forgets a task that is not copied within its retention. */
async function archiveDelay(dependencies: OperatorDependencies): Promise<NearLimit[]> {
  const { settings, archive } = dependencies;
  if (!archive) return [];
  const delays = await archiveDelays(dependencies);
  const of = 'ended tasks that are not in the archive';
  return [
    { limit: 'archive-delay', setting: 'ARCHIVE_URL', of, used: Math.max(0, ...delays), max: settings.retentionMs },
  ];
}

type QuotaKind = 'open' | 'kept' | 'scheduled' | 'open-of-tenant';

/** The quotas that messages nearly reached in the last hour, as quotas.lua notes them, with the numbers of now. */
async function quotas(dependencies: OperatorDependencies): Promise<NearLimit[]> {
  const { redis, shards } = dependencies;
  const noted = await Promise.all(
    shards.all.map(async (keys) => {
      const fields = Object.entries(await redis.hgetall(keys.room));
      const since = Date.now() - NOTED_FOR_MS;
      const names = fields.flatMap(([name, at]) => (name.startsWith('near ') && Number(at) > since ? name : []));
      return Promise.all(names.slice(0, MAX_QUOTAS).map((name) => readQuota(dependencies, keys, name)));
    }),
  );
  return noted.flat();
}

async function readQuota({ redis, settings }: OperatorDependencies, keys: ShardKeys, name: string): Promise<NearLimit> {
  const [, kind = '', of = ''] = name.split(' ');
  const { maxOpenTasks, maxKeptTasks, maxOpenTasksOfTenant, maxScheduled } = settings;
  const part = (limit: number): number => shareOfShard(settings, limit);
  const tenant = { of: decodeURIComponent(of), max: part(maxOpenTasksOfTenant) };
  if ((kind as QuotaKind) === 'open-of-tenant') {
    const used = Number((await redis.hget(keys.openTasks, of)) ?? 0);
    return { limit: 'open-tasks-of-tenant', setting: 'MAX_OPEN_TASKS_PER_TENANT', ...tenant, used };
  }
  const { principal, agent } = scopeOf(of);
  const whom = { of: `${principal.tenant}/${principal.subject} at ${agent}` };
  const index = keys.index({ principal, agent });
  if (kind === 'scheduled') {
    const used = Number((await redis.hget(`${keys.scheduledTasks}:owners`, of)) ?? 0);
    return { limit: 'scheduled-tasks', setting: 'MAX_SCHEDULED', ...whom, used, max: part(maxScheduled) };
  }
  if (kind === 'open') {
    const used = await redis.zlexcount(index, '[a', '+');
    return { limit: 'open-tasks', setting: 'MAX_OPEN_TASKS', ...whom, used, max: part(maxOpenTasks) };
  }
  return {
    limit: 'kept-tasks',
    setting: 'MAX_KEPT_TASKS',
    ...whom,
    used: await redis.zcard(index),
    max: part(maxKeptTasks),
  };
}
