import { hash, randomUUID } from 'node:crypto';
import { crc16, SLOTS } from '@switchyard/redis';
import { ShardKeys } from './keys.ts';

/** All shards of a deployment, and the ids that belong to them. */
export class Shards {
  readonly all: readonly ShardKeys[];
  readonly #deployment: number;

  /** @param deployment its number, which new ids have */
  constructor(prefix: string, count: number, deployment = 0) {
    this.#deployment = deployment;
    this.all = Array.from({ length: count }, (_, shard) => new ShardKeys(prefix, tagNumber(shard, count)));
  }

  /** The shard that an id (of a task or a context) lives on. */
  of(id: string): ShardKeys {
    return this.#at(shardOf(id, this.all.length));
  }

  /** A new id on the shard of `shardSeed`: for a task its context, for a new context its sender and message. */
  newId(shardSeed: string): string {
    const shard = shardOf(shardSeed, this.all.length);
    for (;;) {
      const id = idOfDeployment(randomUUID(), this.#deployment);
      if (shardOf(id, this.all.length) === shard) return id;
    }
  }

  /** An id on the shard of `shardSeed`, the same for the same seed. A UUID of version 8. */
  derivedId(shardSeed: string, seed: string): string {
    const shard = shardOf(shardSeed, this.all.length);
    for (let n = 0; ; n++) {
      const hex = hash('sha256', `${n} ${seed}`);
      const uuid = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
      const id = idOfDeployment(uuid, this.#deployment);
      if (shardOf(id, this.all.length) === shard) return id;
    }
  }

  #at(shard: number): ShardKeys {
    const keys = this.all[shard];
    if (!keys) throw new Error(`There is no shard ${shard}.`);
    return keys;
  }
}

/** One of something for each shard, made when it is needed first. */
export class PerShard<T> {
  readonly #make: (keys: ShardKeys) => T;
  readonly #made = new Map<ShardKeys, T>();

  constructor(make: (keys: ShardKeys) => T) {
    this.#make = make;
  }

  of(keys: ShardKeys): T {
    const known = this.#made.get(keys);
    if (known !== undefined) return known;
    const made = this.#make(keys);
    this.#made.set(keys, made);
    return made;
  }

  /** Those that were needed. */
  get made(): Iterable<T> {
    return this.#made.values();
  }
}

/** Deployments behind one address have numbers from 0 to this one. */
export const MAX_DEPLOYMENT = 255;

/** A UUID of version 8: two digits after the version are the number. Ids that deployment 0 derives have the variant 8. */
const form = /^[\da-f]{8}-[\da-f]{4}-8([\da-f]{2})[\da-f]-b[\da-f]{3}-[\da-f]{12}$/;

/** The number of the deployment that made an id of a task, context or conversation. 0 also for ids that clients chose. */
export function deploymentOf(id: string): number {
  const [, number = '0'] = form.exec(id) ?? [];
  return Number.parseInt(number, 16);
}

/** The UUID with the number of a deployment. Those of deployment 0 stay as they are. */
function idOfDeployment(uuid: string, deployment: number): string {
  if (deployment === 0) return uuid;
  const number = deployment.toString(16).padStart(2, '0');
  return `${uuid.slice(0, 14)}8${number}${uuid.slice(17, 19)}b${uuid.slice(20)}`;
}

/** The shard of an id: CRC16 as Redis Cluster computes it, modulo the number of shards. */
export function shardOf(id: string, shards: number): number {
  return shards === 1 ? 0 : crc16(id) % shards;
}

/** Largest distance, in slots, of a tag from the middle of its shard's part. */
const NEAR = 16;

/**
 * The number in a shard's hash tag `{s<number>}`: the first one whose slot is in the middle of the shard's part of all
 * slots, so that masters, which share the slots evenly, get equal numbers of shards. A single shard has 0.
 */
export function tagNumber(shard: number, shards: number): number {
  if (shards === 1) return 0;
  const middle = ((shard + 0.5) * SLOTS) / shards;
  for (let number = 0; ; number++) if (Math.abs((crc16(`s${number}`) % SLOTS) - middle) <= NEAR) return number;
}
