import { setTimeout as delay } from 'node:timers/promises';
import type { RedisDeployment } from '../redis/deployment.ts';

/**
 * What stays for as long as a deployment does: the registry, and of each queue what BullMQ keeps of the queue itself.
 * When it was last checked and what its consumers took last expire twice a lock's time after the last worker.
 * Everything else belongs to a task and must be gone with it.
 */
const LASTING =
  /\{agents\}:(?:agents|alive|shards|sources|workers(?::reports)?)$|:q:[^:]+:(?:meta|events|marker|id|checked|took:.+)$/;

/** Keys that are left once all tasks are past their retention. Waits for them to go, at most `withinMs`. */
export async function leakedKeys(redis: RedisDeployment, prefix: string, withinMs: number): Promise<string[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const leaked = (await allKeys(redis, prefix)).filter((key) => !LASTING.test(key));
    if (!leaked.length || Date.now() > deadline) return leaked;
    await delay(500);
  }
}

async function allKeys(redis: RedisDeployment, prefix: string): Promise<string[]> {
  const masters = await redis.masters();
  const replies = await Promise.all(masters.map((node) => node.ask(`KEYS ${prefix}*`, 5_000)));
  return replies.flatMap((reply) => reply.split('\r\n').filter((line) => line.startsWith(prefix)));
}
