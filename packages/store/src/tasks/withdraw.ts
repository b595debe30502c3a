import { ownerOf, type Scope } from '../principal.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { Script } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';

const withdrawScript = new Script('withdraw.lua', import.meta.url);

export interface WithdrawPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
}

/** The caller was given a message instead of this task (A2A 3.1.1): from now on it is in no list of theirs. Idempotent. */
export async function withdrawTask({ redis, shards }: WithdrawPort, scope: Scope, taskId: string): Promise<void> {
  const [task = '', , , , indexes = ''] = shards.of(taskId).record(taskId);
  await withdrawScript.run(redis, [task, indexes], [taskId, ownerOf(scope)]);
}
