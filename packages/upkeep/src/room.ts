import {
  defineScript,
  infoOf,
  integer,
  masterOf,
  type Redis,
  type RedisConnection,
  text,
  tuple,
} from '@switchyard/redis';
import { REMOTE_AGENTS, type Registry, type StoreSettings } from '@switchyard/store';
import { type ShardKeys, type Shards, sharedKeyNames } from '@switchyard/store/inside';
import { type DroppablePart, TASKS_OF_PLAN, tasksToDrop } from './tasks-to-drop.ts';

const makeRoomScript = defineScript({
  file: 'make-room.lua',
  from: import.meta.url,
  keys: [...sharedKeyNames, 'index'],
  args: ['percent', 'minMs', 'limit', 'after'],
  reply: tuple(integer, integer, integer, integer, text),
});

/** Tasks of one step: bounds the time that Redis spends on it. */
const TASKS_OF_STEP = 32;
/** Steps in a row without a task that may be dropped, before others get a turn. */
const MAX_FRUITLESS_STEPS = 64;
/** Longest run, before its caller gets a turn, for example to stop. */
const RUN_FOR_MS = 1_000;

export interface RoomDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly registry: Pick<Registry, 'ids'>;
  readonly settings: StoreSettings;
}

export interface MadeRoom {
  readonly dropped: number;
  /** How long the youngest of them was kept; Infinity: none was dropped. */
  readonly keptMs: number;
  /** The share of its memory that the fullest Redis uses; 0: unknown, or without a limit. */
  readonly usedShare: number;
}

const nothingDropped: MadeRoom = { dropped: 0, keptMs: Number.POSITIVE_INFINITY, usedShare: 0 };

interface RoomStep extends MadeRoom {
  readonly isFull: boolean;
  /** Where the next step goes on; '': there is nothing more to drop. */
  readonly after: string;
}

/**
 * Makes room in a Redis that is nearly full: the oldest ended tasks go before their retention is over, those of
 * principals with more tasks than others first.
 */
export class Room {
  readonly #dependencies: RoomDependencies;
  /** Where the next step goes on, by index: older tasks are still needed. */
  readonly #after = new Map<string, string>();

  constructor(dependencies: RoomDependencies) {
    this.#dependencies = dependencies;
  }

  /** Several processes may do so at once. It costs a command per master while there is room. */
  async make(): Promise<MadeRoom> {
    const { redis, shards, settings } = this.#dependencies;
    if (settings.makeRoomAtPercent === 0) return nothingDropped;
    const byMaster = Map.groupBy(shards.all, ({ outbox }) => masterOf(redis, outbox));
    return inAll(
      await Promise.all(
        Array.from(byMaster, ([master, keys]) => (master ? this.#makeAt(master, keys) : nothingDropped)),
      ),
    );
  }

  async #makeAt(master: Redis, shards: readonly ShardKeys[]): Promise<MadeRoom> {
    const usedShare = await usedShareOf(master);
    if (!this.#isFull(usedShare)) return { ...nothingDropped, usedShare };
    return inAll(await Promise.all(shards.map((keys) => this.#makeIn(keys, master))));
  }

  async #makeIn(keys: ShardKeys, master: Redis): Promise<MadeRoom> {
    const startedAt = performance.now();
    for (let made = nothingDropped; ; ) {
      const usedShare = await usedShareOf(master);
      if (!this.#isFull(usedShare)) return { ...made, usedShare };
      const before = made.dropped;
      made = await this.#dropSome(keys, made);
      if (made.dropped === before || performance.now() - startedAt > RUN_FOR_MS) return { ...made, usedShare };
    }
  }

  #isFull(usedShare: number): boolean {
    return usedShare * 100 >= this.#dependencies.settings.makeRoomAtPercent;
  }

  async #dropSome(keys: ShardKeys, before: MadeRoom): Promise<MadeRoom> {
    const agents = [...(await this.#dependencies.registry.ids()), REMOTE_AGENTS];
    let made = before;
    for (const part of await tasksToDrop(this.#dependencies.redis, keys, agents)) {
      if (made.dropped - before.dropped >= TASKS_OF_PLAN) break;
      made = sum(made, await this.#dropOf(keys, part));
    }
    return made;
  }

  async #dropOf(keys: ShardKeys, { index, tasks }: DroppablePart): Promise<MadeRoom> {
    let made = nothingDropped;
    let fruitless = 0;
    while (made.dropped < tasks && fruitless < MAX_FRUITLESS_STEPS) {
      const limit = Math.min(TASKS_OF_STEP, tasks - made.dropped);
      const step = await this.#step(keys, { index, limit });
      made = sum(made, step);
      fruitless = step.dropped === 0 ? fruitless + 1 : 0;
      // Tasks that were dropped are no longer there: only those that are needed must be skipped.
      if (step.after === '') this.#after.delete(index);
      else if (step.dropped < limit) this.#after.set(index, step.after);
      if (step.after === '' || !step.isFull) break;
    }
    return made;
  }

  async #step(keys: ShardKeys, { index, limit }: { index: string; limit: number }): Promise<RoomStep> {
    const { redis, settings } = this.#dependencies;
    const { makeRoomAtPercent: percent, retentionMinMs: minMs } = settings;
    const [used, allowed, dropped, keptMs, after] = await makeRoomScript.run(redis, {
      keys: { ...keys.shared, index },
      args: { percent, minMs, limit, after: this.#after.get(index) ?? '' },
    });
    const usedShare = allowed === 0 ? 0 : used / allowed;
    const kept = { dropped, keptMs: dropped === 0 ? Number.POSITIVE_INFINITY : keptMs };
    return { isFull: this.#isFull(usedShare), usedShare, ...kept, after };
  }
}

/** The share of its memory that a Redis uses; 0: it has no limit, or does not tell. */
async function usedShareOf(node: Redis): Promise<number> {
  const info = await infoOf(node, 'memory').catch((error: Error) => {
    if (error.name === 'ReplyError') return undefined; // a managed Redis may refuse: its memory is not watched
    throw error;
  });
  const numberOf = (name: string): number => Number(info?.[name] ?? 0);
  // Buffers do not count for maxmemory.
  const allowed = numberOf('maxmemory');
  return allowed === 0 ? 0 : (numberOf('used_memory') - numberOf('mem_not_counted_for_evict')) / allowed;
}

const inAll = (parts: readonly MadeRoom[]): MadeRoom => ({
  dropped: parts.reduce((sum, { dropped }) => sum + dropped, 0),
  keptMs: Math.min(...parts.map(({ keptMs }) => keptMs)),
  usedShare: Math.max(...parts.map(({ usedShare }) => usedShare)),
});

const sum = (a: MadeRoom, b: MadeRoom): MadeRoom => ({
  dropped: a.dropped + b.dropped,
  keptMs: Math.min(a.keptMs, b.keptMs),
  usedShare: b.usedShare,
});
