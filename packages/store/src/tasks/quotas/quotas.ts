import type { StoreSettings } from '../../deployment/settings.ts';

/** The limits that quotas.lua reads. */
export const quotaArgNames = [
  'maxOpen',
  'maxKept',
  'maxOpenOfTenant',
  'maxBytes',
  'maxScheduled',
  'dropAfterMs',
] as const;

/** Room for an uneven spread over shards: each has its own part of a limit. */
const UNEVEN = 1.25;

/** The part of a limit that holds in one shard. */
export function shareOfShard({ shards }: Pick<StoreSettings, 'shards'>, limit: number): number {
  return shards === 1 ? limit : Math.ceil((limit / shards) * UNEVEN);
}

/** The values of `quotaArgNames`, of one shard. */
export function quotaArgValues(settings: StoreSettings): Readonly<Record<(typeof quotaArgNames)[number], number>> {
  const { maxOpenTasks, maxKeptTasks, maxOpenTasksOfTenant, maxBytesOfTenant, maxScheduled } = settings;
  const { makeRoomAtPercent, retentionMinMs } = settings;
  const part = (limit: number): number => shareOfShard(settings, limit);
  return {
    maxOpen: part(maxOpenTasks),
    maxKept: part(maxKeptTasks),
    maxOpenOfTenant: part(maxOpenTasksOfTenant),
    maxBytes: part(maxBytesOfTenant),
    maxScheduled: part(maxScheduled),
    dropAfterMs: makeRoomAtPercent === 0 ? 0 : Math.max(1, retentionMinMs),
  };
}
