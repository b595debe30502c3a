import { workOffShards } from '@switchyard/redis';
import { scopeOf } from '../deployment/scope.ts';
import { claimMembers } from '../record/claim-members.ts';
import { type CancelDependencies, cancelTask } from '../tasks/cancel/cancel.ts';

const ORPHANS_PER_CLAIM = 100;

/** The part of Conversations that orphans need. */
interface Abandonable {
  /** Ends a conversation whose task has ended. */
  abandon(id: string): Promise<void>;
}

/** Called tasks that still run, and conversations that go on, although the calling task has ended. */
export class Orphans {
  readonly #dependencies: CancelDependencies;

  constructor(dependencies: CancelDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Cancels these tasks, and ends these conversations. Several processes may do so at once.
   * @param shards default: all
   * @returns their number
   */
  end(conversations: Abandonable, shards = this.#dependencies.shards.all): Promise<number> {
    const { redis, settings } = this.#dependencies;
    return workOffShards(shards, (keys) => {
      const set = { key: keys.orphans, limit: ORPHANS_PER_CLAIM };
      return {
        ...set,
        redis,
        claim: () => claimMembers(redis, keys, { ...set, claimMs: settings.sweepAfterMs }),
        work: async ({ member }) => {
          await this.#end(member, conversations);
          await redis.zrem(keys.orphans, member);
        },
      };
    });
  }

  /** The cancel is stored in the called task: if no worker acts on it, the sweeper does. */
  async #end(member: string, conversations: Abandonable): Promise<void> {
    const [id = '', mode, owner = ''] = member.split(' ');
    if (mode === 'v') await conversations.abandon(id);
    else await cancelTask(this.#dependencies, scopeOf(owner), id, { seesHidden: true });
  }
}
