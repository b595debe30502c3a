import { randomUUID } from 'node:crypto';
import {
  checkServers,
  type DurableDependencies,
  inspectRedis,
  type RedisAccess,
  type RedisConnection,
  type RedisInspection,
  RedisUnusable,
} from '@switchyard/redis';
import type { StoreSettings } from './settings.ts';
import { MAX_DEPLOYMENT, Shards } from './shards.ts';

/** Redis, the names of the deployment's keys, and its settings: what most parts of the store need. */
export interface DeploymentDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: StoreSettings;
}

/** The same for changes that may wait for replicas. */
export type ChangeDependencies = DurableDependencies & DeploymentDependencies;

/** Refuses settings that no deployment can have, and a Redis that would lose tasks. @throws {RedisUnusable} */
export async function checkDeployment(redis: RedisConnection, { prefix, deployment }: StoreSettings): Promise<void> {
  if (/[{}]/.test(prefix)) throw new RedisUnusable(`The key prefix "${prefix}" must not contain braces.`);
  if (!Number.isInteger(deployment) || deployment < 0 || deployment > MAX_DEPLOYMENT)
    throw new RedisUnusable(`The number of the deployment is ${deployment}: it must be 0 to ${MAX_DEPLOYMENT}.`);
  await checkServers(redis);
}

/** A random id of the deployment: the same as long as Redis has its data. */
export async function deploymentId(redis: RedisConnection, prefix: string): Promise<string> {
  const key = `${prefix}{agents}:deployment`;
  await redis.set(key, randomUUID(), 'NX');
  return (await redis.get(key)) ?? '';
}

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
