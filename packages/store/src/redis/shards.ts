import { hash, randomUUID } from 'node:crypto';
import { ShardKeys, shardOf, tagNumber } from './keys.ts';

/** All shards of a deployment, and the ids that land on them. */
export class Shards {
  readonly all: readonly ShardKeys[];

  constructor(prefix: string, count: number) {
    this.all = Array.from({ length: count }, (_, shard) => new ShardKeys(prefix, tagNumber(shard, count)));
  }

  /** The shard that an id (of a task or a context) lives on. */
  of(id: string): ShardKeys {
    return this.#at(shardOf(id, this.all.length));
  }

  /** A new id on the shard of `anchor`: for a task its context, for a new context its sender and message. */
  newId(anchor: string): string {
    const shard = shardOf(anchor, this.all.length);
    for (;;) {
      const id = randomUUID();
      if (shardOf(id, this.all.length) === shard) return id;
    }
  }

  /** An id on the shard of `anchor`, the same for the same seed. A UUID of version 8. */
  derivedId(anchor: string, seed: string): string {
    const shard = shardOf(anchor, this.all.length);
    for (let n = 0; ; n++) {
      const id = hash('sha256', `${n} ${seed}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
      if (shardOf(id, this.all.length) === shard) return id;
    }
  }

  #at(shard: number): ShardKeys {
    const keys = this.all[shard];
    if (!keys) throw new Error(`There is no shard ${shard}.`);
    return keys;
  }
}
