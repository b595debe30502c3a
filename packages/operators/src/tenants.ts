import { defineScript, integer } from '@switchyard/redis';
import {
  cancelTask,
  deleteTask,
  endedIn,
  type OwnedKey,
  type ShardKeys,
  scopeOf,
  stateLetters,
  withdrawnLetter,
} from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { ownedKeys } from './owned-keys.ts';

const unlinkOwnedScript = defineScript({
  file: 'unlink-owned.lua',
  from: import.meta.url,
  keys: ['tasks', 'owned'],
  args: [],
  reply: integer,
});

/** The data of a tenant, in numbers. */
export interface TenantReading {
  readonly id: string;
  readonly principals: number;
  /** Tasks that are kept, ended or not. */
  readonly tasks: number;
  /** Tasks that have not ended. */
  readonly openTasks: number;
  /** Values that agents keep for contexts. */
  readonly memories: number;
}

/** Names an agent's memory of a context, without its value. */
export interface MemoryName {
  readonly subject: string;
  readonly agent: string;
  readonly contextId: string;
}

/** One step of the deletion of a tenant. */
export interface TenantDeletion {
  readonly deletedTasks: number;
  /** Tasks that still run: they were canceled. */
  readonly tasksLeft: number;
  /** Tasks in the archive that are not deleted yet. Unset: there is no archive, or it is not their turn. */
  readonly archivedTasksLeft?: number;
  /** Whether nothing of the tenant is left. If false, repeat the step. */
  readonly isComplete: boolean;
}

/** Tasks that one step cancels and deletes. */
const TASKS_OF_STEP = 1_000;
/** A step goes on with tasks of the archive for so long. */
const ARCHIVED_FOR_MS = 2_000;
/** Tasks that are deleted at the same time. */
const AT_ONCE = 20;
/** A query of the archive. */
const allTasks = {
  letters: endedIn(Object.values(stateLetters).join('')) + withdrawnLetter,
  by: 'endedAt',
  since: '',
  upto: '',
  before: '',
  token: '',
} as const;
/** The id at the end of an entry in the index of tasks. */
const ID_LENGTH = 36;

/** All tenants, for operators. Reads the names of all keys: it takes a second for each million. */
export class Tenants {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** All tenants, sorted by id. */
  async list(): Promise<TenantReading[]> {
    const found = new Map<string, { subjects: Set<string>; tasks: number; memories: number }>();
    const seen = new Set<string>();
    for await (const { kind, owner, rest, key } of this.#keys()) {
      // A scan may return a key twice.
      if (kind === 'm' || seen.has(key)) continue;
      seen.add(key);
      const { tenant, subject } = scopeOf(owner).principal;
      const its = found.get(tenant) ?? { subjects: new Set(), tasks: 0, memories: 0 };
      found.set(tenant, its);
      its.subjects.add(subject);
      if (kind === 'x' && rest === undefined) its.tasks += await this.#dependencies.redis.zcard(key);
      if (kind === 'k') its.memories++;
    }
    const ids = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
    return Promise.all(
      ids.map(async ([id, { subjects, tasks, memories }]) => {
        return { id, principals: subjects.size, tasks, openTasks: await this.#openTasks(id), memories };
      }),
    );
  }

  /** The memories that agents keep for contexts of a tenant. */
  async memories(tenant: string): Promise<MemoryName[]> {
    const names: MemoryName[] = [];
    for await (const { kind, owner, rest = '' } of this.#keys(tenant)) {
      const { principal, agent } = scopeOf(owner);
      if (kind === 'k') names.push({ subject: principal.subject, agent, contextId: JSON.parse(`"${rest}"`) });
    }
    return names;
  }

  /** @returns false: there is no such memory */
  async deleteMemory(tenant: string, { subject, agent, contextId }: MemoryName): Promise<boolean> {
    const { redis, shards } = this.#dependencies;
    const scope = { principal: { tenant, subject, scopes: [] }, agent };
    return (await redis.unlink(shards.of(contextId).memory(scope, contextId))) === 1;
  }

  /**
   * Revokes the tenant's keys, cancels its tasks, deletes those that have ended, then everything else: memories of
   * agents, conversations and messageIds. A step handles a thousand tasks, and then those of the archive for two seconds:
   * repeat it until it is complete. It is never complete while the tenant still sends messages, with a token or a key that is set in the environment.
   * @returns undefined: there is no such tenant
   */
  async delete(tenant: string): Promise<TenantDeletion | undefined> {
    const credentials = await this.#dependencies.credentials.revokeTenant(tenant);
    const { deleted, left, found } = await this.#deleteTasks(tenant);
    const archived = left === 0 ? await this.#deleteArchived(tenant) : undefined;
    if (credentials === 0 && !found && !archived?.deleted && !archived?.left) return undefined;
    const isComplete = left === 0 && !archived?.left && (await this.#deleteRest(tenant));
    return {
      deletedTasks: deleted + (archived?.deleted ?? 0),
      tasksLeft: left,
      ...(archived && { archivedTasksLeft: archived.left }),
      isComplete,
    };
  }

  /** Tasks that Redis has forgotten: one step. */
  async #deleteArchived(tenant: string): Promise<{ deleted: number; left: number } | undefined> {
    const { archive } = this.#dependencies;
    if (!archive) return undefined;
    const name = encodeURIComponent(tenant);
    const startedAt = performance.now();
    let [deleted, last] = [0, 0];
    do {
      last = await archive.deleteTenant(name, TASKS_OF_STEP);
      deleted += last;
    } while (last > 0 && performance.now() - startedAt < ARCHIVED_FOR_MS);
    const { total: left } = await archive.find({ ...allTasks, ownerPrefix: `${name}/`, size: 0 });
    return { deleted, left };
  }

  async #deleteTasks(tenant: string): Promise<{ deleted: number; left: number; found: boolean }> {
    const { redis } = this.#dependencies;
    let [deleted, left, found] = [0, 0, false];
    for await (const { kind, key, owner, rest } of this.#keys(tenant)) {
      found = true;
      if (kind !== 'x' || rest !== undefined) continue;
      const room = Math.max(TASKS_OF_STEP - deleted - left, 0);
      const entries = room === 0 ? [] : await redis.zrange(key, '0', String(room - 1));
      left += Math.max((await redis.zcard(key)) - entries.length, 0);
      for (let at = 0; at < entries.length; at += AT_ONCE) {
        const batch = entries.slice(at, at + AT_ONCE);
        const gone = await Promise.all(batch.map((entry) => this.#deleteTask(owner, { key, entry })));
        deleted += gone.filter(Boolean).length;
        left += gone.filter((isGone) => !isGone).length;
      }
    }
    return { deleted, left, found };
  }

  /** @returns whether nothing of the task is left */
  async #deleteTask(owner: string, { key, entry }: { key: string; entry: string }): Promise<boolean> {
    const [scope, taskId] = [scopeOf(owner), entry.slice(-ID_LENGTH)];
    await cancelTask(this.#dependencies, scope, taskId, { seesHidden: true });
    const verdict = await deleteTask(this.#dependencies, scope, taskId, true);
    // The record expired before its entry in the index.
    if (verdict === 'missing') await this.#dependencies.redis.zrem(key, entry);
    return verdict !== 'live';
  }

  /** Call it when only the indexes of contexts are left of tasks. @returns false: there are new messages */
  async #deleteRest(tenant: string): Promise<boolean> {
    const { redis, shards } = this.#dependencies;
    let isGone = true;
    for (const shard of shards.all)
      for await (const owned of this.#keysOf(shard, tenant))
        if (!(await this.#deleteOwned(shard, owned))) isGone = false;
    if (isGone) await Promise.all(shards.all.map((each) => redis.unlink(each.tenantBytes(tenant))));
    return isGone;
  }

  /** @returns false: the key belongs to work that goes on */
  async #deleteOwned(shard: ShardKeys, { kind, key, owner, rest }: OwnedKey): Promise<boolean> {
    if (kind === 'y') return this.#deleteConversations(key);
    const isIndexOfTasks = kind === 'x' && rest === undefined;
    return !isIndexOfTasks && this.#unlink({ tasks: shard.index(scopeOf(owner)), owned: key });
  }

  /** @param key of the conversations of a context */
  async #deleteConversations(key: string): Promise<boolean> {
    const { redis, shards } = this.#dependencies;
    const ids = await redis.zrange(key, '0', '-1');
    if (!(await this.#unlink({ tasks: key, owned: key }))) return false;
    for (const id of ids) {
      const keys = shards.of(id);
      const gone = [redis.unlink(keys.conversation(id)), redis.unlink(keys.conversationEvents(id))];
      await Promise.all([...gone, redis.zrem(keys.allConversations, id)]);
    }
    return true;
  }

  async #unlink(keys: { readonly tasks: string; readonly owned: string }): Promise<boolean> {
    return (await unlinkOwnedScript.run(this.#dependencies.redis, { keys, args: {} })) === 1;
  }

  async #openTasks(tenant: string): Promise<number> {
    const { redis, shards } = this.#dependencies;
    const counts = await Promise.all(
      shards.all.map(({ openTasks }) => redis.hget(openTasks, encodeURIComponent(tenant))),
    );
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  }

  /** The keys that have an owner in their name. @param tenant unset: of all tenants */
  async *#keys(tenant?: string): AsyncGenerator<OwnedKey> {
    for (const shard of this.#dependencies.shards.all) yield* this.#keysOf(shard, tenant);
  }

  #keysOf(shard: ShardKeys, tenant?: string): AsyncGenerator<OwnedKey> {
    return ownedKeys(this.#dependencies.redis, shard, tenant);
  }
}
