import type { Channels } from '../redis/channels.ts';
import { defineScript } from '../redis/define-script.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { scopeOf } from '../redis/principal.ts';
import { list, text } from '../redis/reply.ts';
import { type CancelPort, cancelTask } from '../tasks/cancel.ts';

export const claimClosingsScript = defineScript({
  file: 'claim-closings.lua',
  from: import.meta.url,
  keys: ['closing'],
  args: ['leaseMs', 'most'],
  reply: list(text),
});

const CLOSINGS_PER_CLAIM = 100;

/** Conversations, as far as their end goes. */
interface Abandonable {
  /** The task that held the conversation has ended: so does the conversation. */
  abandon(id: string): Promise<void>;
}

/** What tasks that ended leave behind: calls that go on, conversations without an end. */
export class Closings {
  readonly #port: CancelPort;
  readonly #channels: Channels;
  readonly #conversations: Abandonable;

  constructor(port: CancelPort, channels: Channels, conversations: Abandonable) {
    this.#port = port;
    this.#channels = channels;
    this.#conversations = conversations;
  }

  /** Hears that there is something to close. It may miss it: who listens also closes by the clock. */
  async listen(wake: () => void): Promise<void> {
    await Promise.all(this.#port.shards.all.map(({ closing }) => this.#channels.subscribe(closing, wake)));
  }

  /**
   * Cancels those calls, and ends those conversations. Any process may, and several may at once.
   * @returns how many it were
   */
  async close(): Promise<number> {
    const counts = await Promise.all(this.#port.shards.all.map((keys) => this.#closeShard(keys)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #closeShard(keys: ShardKeys): Promise<number> {
    const { redis, settings } = this.#port;
    const members = await claimClosingsScript.run(redis, {
      keys: { closing: keys.closing },
      args: { leaseMs: settings.leaseMs, most: CLOSINGS_PER_CLAIM },
    });
    await Promise.all(
      members.map(async (member) => {
        await this.#close(member);
        await redis.zrem(keys.closing, member);
      }),
    );
    return members.length;
  }

  /** The cancel is durable in the called task: from here on it is the sweeper's, if need be. */
  async #close(member: string): Promise<void> {
    const [id = '', manner, owner = ''] = member.split(' ');
    if (manner === 'v') await this.#conversations.abandon(id);
    else await cancelTask(this.#port, scopeOf(owner), id);
  }
}
