import {
  damagedRow,
  defineScript,
  integer,
  SET_ASIDE_MS,
  text,
  tuple,
  tupleAnd,
  verdict,
  workOff,
} from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';
import { agentOf } from '../deployment/scope.ts';
import { settingsArgNames, settingsArgValues, sharedKeyNames } from '../record/record-args.ts';
import type { TurnsDependencies } from '../turns/turns-dependencies.ts';

export const rejectMessagesScript = defineScript({
  file: 'reject-messages.lua',
  from: import.meta.url,
  keys: ['beginBy', ...sharedKeyNames, 'queues'],
  args: [...settingsArgNames, 'claimMs', 'limit'],
  reply: tupleAnd([integer, integer, integer], verdict({ rejected: tuple(text, text), damaged: damagedRow })),
});

/** Messages that one script rejects: bounds its duration. */
const AT_ONCE = 100;

/** A task whose next message was not begun in its time to live. */
export interface RejectedMessage {
  readonly agent: string;
  readonly taskId: string;
}

export interface RejectedMessages {
  readonly messages: readonly RejectedMessage[];
  readonly errors: readonly unknown[];
  /** Time until the next time to live ends; Infinity: no message that waits has one. */
  readonly nextInMs: number;
}

/** Rejects messages whose time to live ends before a worker begins them (docs/extensions/time-to-live.md). */
export class TimesToLive {
  readonly #dependencies: TurnsDependencies;

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Any process may do this, also several at once. @param shards default: all */
  async reject(shards = this.#dependencies.shards.all): Promise<RejectedMessages> {
    const all = await Promise.all(shards.map((keys) => this.#rejectIn(keys)));
    return {
      messages: all.flatMap(({ messages }) => messages),
      errors: all.flatMap(({ errors }) => errors),
      nextInMs: Math.min(...all.map(({ nextInMs }) => nextInMs)),
    };
  }

  /** @returns the shard of a task, for `reject` */
  shardOf(taskId: string): ShardKeys {
    return this.#dependencies.shards.of(taskId);
  }

  async #rejectIn(keys: ShardKeys): Promise<RejectedMessages> {
    const { redis, settings } = this.#dependencies;
    const { beginBy, shared, queues } = keys;
    const messages: RejectedMessage[] = [];
    let nextInMs = Number.POSITIVE_INFINITY;
    const { errors } = await workOff({
      redis,
      key: beginBy,
      limit: AT_ONCE,
      claim: async () => {
        const [nowMs, done, next, ...rows] = await rejectMessagesScript.run(redis, {
          keys: { beginBy, ...shared, queues },
          args: { ...settingsArgValues(settings), claimMs: SET_ASIDE_MS, limit: AT_ONCE },
        });
        nextInMs = next < 0 ? Number.POSITIVE_INFINITY : next;
        for (const row of rows) if (row[0] === 'rejected') messages.push({ taskId: row[1], agent: agentOf(row[2]) });
        return { nowMs, done, claimed: [], damaged: rows.filter((row) => row[0] === 'damaged') };
      },
      work: async () => undefined,
    });
    return { messages, errors, nextInMs };
  }
}
