import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';

/**
 * What stays for as long as a deployment does: the registry, and of each queue what BullMQ keeps of the queue itself.
 * Everything else belongs to a task and must be gone with it.
 */
const LASTING = /\{agents\}:(?:agents|alive|shards)$|:q:[^:]+:(?:meta|events|stalled-check|stalled|marker|id)$/;

/** Keys that belong to no task that lives, once all tasks are past their retention. Waits for them up to `withinMs`. */
export async function leakedKeys(redis: Redis | Cluster, prefix: string, withinMs: number): Promise<string[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const leaked = (await allKeys(redis, prefix)).filter((key) => !LASTING.test(key));
    if (!leaked.length || Date.now() > deadline) return leaked;
    await delay(500);
  }
}

async function allKeys(redis: Redis | Cluster, prefix: string): Promise<string[]> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const keys: string[] = [];
  for (const node of nodes) {
    for await (const found of node.scanStream({ match: `${prefix}*`, count: 1_000 })) keys.push(...found);
  }
  return keys;
}
