import type { Channels } from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';
import type { Shards } from '../deployment/shards.ts';

/** Channels of one SUBSCRIBE. */
const AT_ONCE = 64;
/** When fewer ids are left, the next channels are subscribed. */
const FEW = 32;

/**
 * Ids for new tasks whose channels this process has subscribed already. A feed of such a task gets every event, and
 * needs neither a SUBSCRIBE nor a read.
 */
export class PreSubscriptions {
  readonly #shards: Shards;
  readonly #channels: Channels;
  readonly #ready = new Map<ShardKeys, string[]>();
  readonly #isSubscribing = new Set<ShardKeys>();

  constructor(shards: Shards, channels: Channels) {
    this.#shards = shards;
    this.#channels = channels;
  }

  /** An id on the shard of `shardSeed` (see Shards.newId). Undefined: none is ready. */
  take(shardSeed: string): string | undefined {
    const shard = this.#shards.of(shardSeed);
    const ready = this.#ready.get(shard) ?? [];
    const id = ready.pop();
    if (ready.length < FEW) void this.#subscribe(shard, shardSeed);
    return id;
  }

  async #subscribe(shard: ShardKeys, shardSeed: string): Promise<void> {
    if (this.#isSubscribing.has(shard)) return;
    this.#isSubscribing.add(shard);
    const ids = Array.from({ length: AT_ONCE }, () => this.#shards.newId(shardSeed));
    const isReady = await this.#channels.open(ids.map((id) => shard.events(id)));
    this.#isSubscribing.delete(shard);
    if (isReady) this.#ready.set(shard, [...(this.#ready.get(shard) ?? []), ...ids]);
  }
}
