import { defineScript, word, workOffShards } from '@switchyard/redis';
import {
  claimMembers,
  recordArgNames,
  recordArgValues,
  recordKeyNames,
  type ShardKeys,
  type StoreInside,
  type TaskMember,
} from '@switchyard/store/inside';

const endInterruptedScript = defineScript({
  file: 'end-interrupted.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'claimedMs', 'reason'],
  reply: word('ended', 'idle'),
});

type InterruptedDependencies = Pick<StoreInside, 'redis' | 'shards' | 'settings'>;

const TASKS_PER_CLAIM = 100;
/** How long a task waits for another process if the one that claimed it dies. */
const CLAIM_MS = 10_000;
const REASON = JSON.stringify('No answer came in time; the task was canceled.');

/** Tasks that wait for input or authorization from their client, without an open turn. */
export class InterruptedTasks {
  readonly #dependencies: InterruptedDependencies;

  constructor(dependencies: InterruptedDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Cancels tasks that have waited for too long. Several processes may do so at once.
   * @param shards default: all
   * @returns their number
   */
  async endOverdue(shards = this.#dependencies.shards.all): Promise<number> {
    const { redis, settings } = this.#dependencies;
    let ended = 0;
    await workOffShards<ShardKeys, TaskMember>(shards, (keys) => {
      const set = { key: keys.interrupted, limit: TASKS_PER_CLAIM, pastMs: settings.interruptedRetentionMs };
      return {
        ...set,
        redis,
        claim: () => claimMembers(redis, keys, { ...set, claimMs: CLAIM_MS }),
        work: async ({ member, untilMs }) => {
          if ((await this.#end(keys, member, untilMs)) === 'ended') ended++;
        },
      };
    });
    return ended;
  }

  #end(keys: ShardKeys, taskId: string, claimedMs: number): Promise<'ended' | 'idle'> {
    const { redis, settings } = this.#dependencies;
    return endInterruptedScript.run(redis, {
      keys: keys.record(taskId),
      args: { ...recordArgValues(taskId, settings), claimedMs, reason: REASON },
    });
  }
}
