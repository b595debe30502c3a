import { inspectRedis, type RedisAccess, type RedisInspection } from '@switchyard/redis';
import type { StoreSettings } from './settings.ts';
import { Shards } from './shards.ts';

/** A master of a deployment. */
export interface MasterInspection extends RedisInspection {
  /** How many of the deployment's shards it has. */
  readonly shards: number;
}

/** As `inspectRedis`. @throws {RedisUnusable} */
export async function inspectMasters(
  deployment: RedisAccess & Pick<StoreSettings, 'prefix' | 'shards'>,
): Promise<readonly MasterInspection[]> {
  const { all } = new Shards(deployment.prefix, deployment.shards);
  const masters = await inspectRedis(
    deployment,
    all.map(({ writable }) => writable),
  );
  return masters.map((master) => ({ ...master, shards: master.keys }));
}
