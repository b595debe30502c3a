import type { RedisConnection } from '../redis/connection.ts';
import { toError } from '../redis/errors.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { integer, tuple } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';

const recoverScript = defineScript({
  file: 'recover.lua',
  from: import.meta.url,
  keys: ['running'],
  args: ['lockMs', 'everyMs', 'tidyMs'],
  reply: tuple(integer, integer),
});

const CHECKS_PER_LOCK = 7;

export interface RecoveryDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly lockMs: number;
  readonly onError: (error: Error) => void;
}

/**
 * Returns the jobs of dead processes to their queues, for all agents. Every process with a consumer asks for it; one of
 * them at a time acts.
 */
export class Recovery {
  readonly #dependencies: RecoveryDependencies;
  readonly #consumers = new Set<object>();
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: RecoveryDependencies) {
    this.#dependencies = dependencies;
  }

  join(consumer: object): void {
    this.#consumers.add(consumer);
    if (this.#timer) return;
    this.#checkAll();
    this.#timer = setInterval(() => this.#checkAll(), this.#dependencies.lockMs / CHECKS_PER_LOCK);
  }

  leave(consumer: object): void {
    this.#consumers.delete(consumer);
    if (this.#consumers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #checkAll(): void {
    const { redis, shards, lockMs, onError } = this.#dependencies;
    for (const keys of shards.all)
      recover(redis, keys, { lockMs, everyMs: lockMs / CHECKS_PER_LOCK, tidyMs: lockMs }).catch((error) =>
        onError(toError(error)),
      );
  }
}

/** Recovers the jobs of one shard. @param args as in recover.lua */
export async function recover(
  redis: RedisConnection,
  { running }: ShardKeys,
  args: { readonly lockMs: number; readonly everyMs: number; readonly tidyMs: number },
): Promise<void> {
  for (;;) {
    const [count, nextMs] = await recoverScript.run(redis, { keys: { running }, args });
    if (count === 0 || nextMs > 0) return;
  }
}
