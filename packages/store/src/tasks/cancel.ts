import { ownerOf, type Scope } from '../principal.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { recordArguments } from '../redis/record-arguments.ts';
import { Script } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';
import type { StoreSettings } from '../settings.ts';

export const cancelScript = new Script('cancel.lua', import.meta.url);

/**
 * - `canceled`: it is, now or already. `requested`: the owner of the running turn is told, and however the turn ends,
 *   the task ends canceled. `terminal`: too late. `missing`: no such task in this scope.
 */
export type Cancellation = 'canceled' | 'requested' | 'terminal' | 'missing';

export interface CancelPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: StoreSettings;
}

export async function cancelTask(
  { redis, shards, settings }: CancelPort,
  scope: Scope,
  taskId: string,
): Promise<Cancellation> {
  const keys = shards.of(taskId);
  const args = [...recordArguments(taskId, settings), ownerOf(scope), keys.cancels];
  return (await cancelScript.run(redis, keys.record(taskId), args)) as Cancellation;
}
