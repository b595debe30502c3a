import { recordArgNames, recordArgValues, recordKeyNames } from '../../record/record-args.ts';
import type { ShardKeys } from '../../redis/keys.ts';
import { word } from '../../redis/reply.ts';
import { defineScript } from '../../redis/script.ts';
import type { CancelPort } from './cancel.ts';

const endInterruptedScript = defineScript({
  file: 'end-interrupted.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'maxWaitMs', 'reason'],
  reply: word('ended', 'idle'),
});

/** Most tasks of a shard that one call ends. */
const MAX_AT_ONCE = 100;
const REASON = JSON.stringify('No answer came in time; the task was canceled.');

/** Tasks that wait for input or authorization from their client, without an open turn. */
export class InterruptedTasks {
  readonly #port: CancelPort;

  constructor(port: CancelPort) {
    this.#port = port;
  }

  /**
   * Cancels tasks that have waited for too long. Several processes may do so at once.
   * @returns their number
   */
  async endOverdue(): Promise<number> {
    const counts = await Promise.all(this.#port.shards.all.map((keys) => this.#endIn(keys)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** One after the other, longest waiting first: usually the first is not due, and one command is enough. */
  async #endIn(keys: ShardKeys): Promise<number> {
    const { redis, settings } = this.#port;
    for (let ended = 0; ; ended++) {
      const [taskId] = ended < MAX_AT_ONCE ? await redis.zrange(keys.interrupted, '0', '0') : [];
      if (taskId === undefined) return ended;
      const verdict = await endInterruptedScript.run(redis, {
        keys: keys.record(taskId),
        args: { ...recordArgValues(taskId, settings), maxWaitMs: settings.interruptedRetentionMs, reason: REASON },
      });
      if (verdict === 'idle') return ended;
    }
  }
}
