import { repeatWhileFull } from '../redis/batches.ts';
import type { Channels } from '../redis/channels.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { list, text } from '../redis/reply.ts';
import { scopeOf } from '../redis/scope.ts';
import { defineScript } from '../redis/script.ts';
import { type CancelPort, cancelTask } from '../tasks/cancel/cancel.ts';

export const claimOrphansScript = defineScript({
  file: 'claim-orphans.lua',
  from: import.meta.url,
  keys: ['orphans'],
  args: ['claimMs', 'limit'],
  reply: list(text),
});

const ORPHANS_PER_CLAIM = 100;

/** The part of Conversations that orphans need. */
interface Abandonable {
  /** Ends a conversation whose task has ended. */
  abandon(id: string): Promise<void>;
}

/** Called tasks that still run, and conversations that go on, although the calling task has ended. */
export class Orphans {
  readonly #port: CancelPort;
  readonly #channels: Channels;
  readonly #conversations: Abandonable;

  constructor(port: CancelPort, channels: Channels, conversations: Abandonable) {
    this.#port = port;
    this.#channels = channels;
    this.#conversations = conversations;
  }

  /** Calls `wake` when there are orphans. The notification may be lost, so the caller also looks on a timer. */
  async listen(wake: () => void): Promise<void> {
    await Promise.all(this.#port.shards.all.map(({ orphans }) => this.#channels.subscribe(orphans, wake)));
  }

  /**
   * Cancels these tasks, and ends these conversations. Several processes may do so at once.
   * @returns their number
   */
  async end(): Promise<number> {
    const endInShard = (keys: ShardKeys) => repeatWhileFull(ORPHANS_PER_CLAIM, () => this.#endSome(keys));
    const counts = await Promise.all(this.#port.shards.all.map(endInShard));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #endSome(keys: ShardKeys): Promise<number> {
    const { redis, settings } = this.#port;
    const members = await claimOrphansScript.run(redis, {
      keys: { orphans: keys.orphans },
      args: { claimMs: settings.sweepAfterMs, limit: ORPHANS_PER_CLAIM },
    });
    await Promise.all(
      members.map(async (member) => {
        await this.#end(member);
        await redis.zrem(keys.orphans, member);
      }),
    );
    return members.length;
  }

  /** The cancel is stored in the called task: if no worker acts on it, the sweeper does. */
  async #end(member: string): Promise<void> {
    const [id = '', mode, owner = ''] = member.split(' ');
    if (mode === 'v') await this.#conversations.abandon(id);
    else await cancelTask(this.#port, scopeOf(owner), id, { seesHidden: true });
  }
}
