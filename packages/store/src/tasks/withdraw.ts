import type { RedisConnection } from '../redis/connection.ts';
import type { Shards } from '../redis/keys.ts';
import { ownerOf, type Scope } from '../redis/keys.ts';
import { word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';

const withdrawScript = defineScript({
  file: 'withdraw.lua',
  from: import.meta.url,
  keys: ['task', 'indexRoot'],
  args: ['taskId', 'owner'],
  reply: word('withdrawn', 'kept'),
});

const revealScript = defineScript({
  file: 'reveal.lua',
  from: import.meta.url,
  keys: ['task', 'indexRoot'],
  args: ['taskId', 'owner'],
  reply: word('revealed', 'kept'),
});

export interface WithdrawPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
}

/** Hides a task whose caller got a message instead (A2A 3.1.1) from all lists. Idempotent. */
export async function withdrawTask({ redis, shards }: WithdrawPort, scope: Scope, taskId: string): Promise<void> {
  const { task, indexRoot } = shards.of(taskId).record(taskId);
  await withdrawScript.run(redis, { keys: { task, indexRoot }, args: { taskId, owner: ownerOf(scope) } });
}

/** Shows a hidden task, as its caller is given it. Idempotent. */
export async function revealTask({ redis, shards }: WithdrawPort, scope: Scope, taskId: string): Promise<void> {
  const { task, indexRoot } = shards.of(taskId).record(taskId);
  await revealScript.run(redis, { keys: { task, indexRoot }, args: { taskId, owner: ownerOf(scope) } });
}
