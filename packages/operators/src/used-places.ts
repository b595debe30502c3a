import type { OperatorDependencies } from './operator-dependencies.ts';

/** The places of an agent that are taken. */
export interface UsedPlaces {
  readonly running: number;
  readonly ofTenant: number;
  readonly ofKey: number;
  /** Time of the next start, by Redis' clock; 0: it may be now. */
  readonly nextStartMs: number;
}

/** @param group tenant and key of a turn, URI-encoded */
export async function usedPlaces(
  { redis, shards }: Pick<OperatorDependencies, 'redis' | 'shards'>,
  agent: string,
  { tenant = '', key = '' }: { readonly tenant?: string; readonly key?: string } = {},
): Promise<UsedPlaces> {
  const keys = shards.of(agent);
  const root = keys.places(agent);
  const [running, [ofTenant, ofKey], nextStartMs] = await Promise.all([
    redis.hget(keys.runningByQueue, root),
    redis.hmget(`${root}groups`, `t:${tenant}`, `k:${key}`),
    redis.get(`${root}starts_at`),
  ]);
  return {
    running: Number(running ?? 0),
    ofTenant: Number(ofTenant ?? 0),
    ofKey: Number(ofKey ?? 0),
    nextStartMs: Number(nextStartMs ?? 0),
  };
}
