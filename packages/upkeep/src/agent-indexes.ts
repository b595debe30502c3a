import { defineScript, integer, type RedisConnection } from '@switchyard/redis';
import { REMOTE_AGENTS, type Registry, type StoreSettings } from '@switchyard/store';
import type { HasArchive, ShardKeys, Shards } from '@switchyard/store/inside';

/** What the indexes use of the store. */
interface IndexDependencies extends HasArchive {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly registry: Registry;
  readonly settings: StoreSettings;
}

const trimIndexScript = defineScript({
  file: 'trim-index.lua',
  from: import.meta.url,
  keys: ['index'],
  args: ['retentionMs', 'copied', 'limit'],
  reply: integer,
});

/** Bounds the time that Redis spends on a step. */
const MAX_OF_STEP = 500;

/** The indexes of all tasks by agent, in which operators search. */
export class AgentIndexes {
  readonly #dependencies: IndexDependencies;
  /** The index that is trimmed next, a share of all: processes begin at different ones. */
  #next = Math.random();

  constructor(dependencies: IndexDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Removes ended tasks that are past their retention. Agents that are retired are forgotten. Several processes may do so
   * at once.
   * @param count of indexes, the next ones in turn; default: all
   */
  async trim(count = Number.POSITIVE_INFINITY): Promise<void> {
    const agents = [...(await this.#dependencies.registry.ids()), REMOTE_AGENTS];
    const all = this.#dependencies.shards.all.flatMap((keys) => agents.map((agent) => [keys, agent] as const));
    const first = Math.round(this.#next * all.length) % all.length;
    for (const [keys, agent] of [...all.slice(first), ...all.slice(0, first)].slice(0, count))
      await this.#trimOne(keys, agent);
    this.#next = ((first + Math.min(count, all.length)) / all.length) % 1;
    await this.#forgetRetired();
  }

  /** Forgets agents that no worker has announced for the retention of tasks, if no task of them is kept. */
  async #forgetRetired(): Promise<void> {
    const { redis, shards, registry, settings } = this.#dependencies;
    for (const agent of await registry.unseenFor(settings.retentionMs)) {
      const tasks = await Promise.all(shards.all.map((keys) => redis.zcard(keys.agentIndex(agent))));
      if (tasks.every((count) => count === 0)) await registry.forget(agent);
    }
  }

  async #trimOne(keys: ShardKeys, agent: string): Promise<void> {
    const { redis, settings, archive } = this.#dependencies;
    // What is to be copied to the archive is found in this index only.
    const copied = archive ? ((await redis.get(keys.archived)) ?? '') : '~';
    const call = {
      keys: { index: keys.agentIndex(agent) },
      args: { retentionMs: settings.retentionMs, copied, limit: MAX_OF_STEP },
    };
    while ((await trimIndexScript.run(redis, call)) === MAX_OF_STEP);
  }
}
