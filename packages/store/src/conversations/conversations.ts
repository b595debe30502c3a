import type { Channels } from '../redis/channels.ts';
import { jsonText } from '../redis/keys.ts';
import { WritesLost } from '../redis/outage.ts';
import { type Principal, principalKey } from '../redis/principal.ts';
import { Script } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';
import { type OpenTurn, TurnEnded } from '../turns/open-turn.ts';
import { abandonedEntries } from './abandoned.ts';
import {
  type ConversationEntry,
  type ConversationHead,
  type ConversationItem,
  ConversationMissing,
  type ConversationReading,
} from './conversation.ts';
import { listConversations, type ReaderPort, readConversation, readEvents } from './conversation-reader.ts';
import { Notifier } from './notifier.ts';

const openConversationScript = new Script('open-conversation.lua', import.meta.url);
const appendConversationScript = new Script('append-conversation.lua', import.meta.url);

export interface ConversationsPort extends ReaderPort {
  readonly settings: StoreSettings;
}

export interface NewConversation {
  /** The same in every attempt at the turn that holds it, and of no other conversation of its task. */
  readonly seed: string;
  readonly toAgent: string;
  readonly maxTurns: number;
}

export interface FollowConversationOptions {
  /** The last event that is known already (Last-Event-ID). */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where events are written, and by which turn: '' when the task that holds the conversation has ended. */
interface Place {
  readonly id: string;
  readonly taskId: string;
  readonly owner: string;
  readonly contextId: string;
  readonly fence: string;
}

/**
 * Agents that talk to each other: every conversation is a numbered feed of its own, kept for the retention after its
 * end.
 */
export class Conversations {
  readonly #port: ConversationsPort;
  readonly #channels: Channels;

  constructor(port: ConversationsPort, channels: Channels) {
    this.#port = port;
    this.#channels = channels;
  }

  /** Makes it, or finds the one of an earlier attempt at the turn. @throws {TurnEnded} */
  async open({ start }: OpenTurn, { seed, toAgent, maxTurns }: NewConversation): Promise<string> {
    const { redis, shards } = this.#port;
    const { taskId, agent, fence, principal, task } = start;
    const { contextId = '' } = task;
    const id = shards.derivedId(taskId, `${taskId} ${seed}`);
    const head: ConversationHead = { id, contextId, fromAgent: agent, toAgent, maxTurns, taskId };
    const owner = principalKey(principal);
    const { caller, conversation, index } = this.#keys({ id, taskId, owner, contextId });
    const args = [fence, id, owner, jsonText(contextId), JSON.stringify(head)];
    const verdict = await openConversationScript.run(redis, [...caller, conversation, index], args);
    if (verdict !== 'opened') throw new TurnEnded();
    return id;
  }

  /** @param seq of the event: one that is there already stays as it is. @throws {TurnEnded} @throws {WritesLost} */
  async append({ start }: OpenTurn, id: string, entry: ConversationEntry & { readonly seq: number }): Promise<void> {
    const { taskId, fence, principal, task } = start;
    const place = { id, taskId, owner: principalKey(principal), contextId: task.contextId ?? '', fence };
    const verdict = await this.#append(place, entry.seq, [entry]);
    if (verdict === 'fenced') throw new TurnEnded();
    if (verdict === 'missing') throw new WritesLost();
  }

  /** @returns undefined: no such conversation of this principal, or no longer */
  async read(principal: Principal, id: string): Promise<ConversationReading | undefined> {
    const conversation = await readConversation(this.#port, id);
    return conversation?.owner === principalKey(principal) ? conversation : undefined;
  }

  /** At most `limit`: those that go on first, then the others, the one that ended last first. */
  list(principal: Principal, query: { contextId: string; limit: number }): Promise<readonly ConversationReading[]> {
    return listConversations(this.#port, principalKey(principal), query);
  }

  /** The events behind `after`, as far as they are there. Whoever asks has read the conversation. */
  events(id: string, after = 0): Promise<ConversationItem[]> {
    return readEvents(this.#port, id, after);
  }

  /**
   * Every event behind `after`, once and in order, until the conversation ends or the signal aborts.
   * @throws {ConversationMissing}
   */
  async *follow(
    principal: Principal,
    id: string,
    { after = 0, signal }: FollowConversationOptions = {},
  ): AsyncGenerator<ConversationItem, void> {
    const channel = this.#port.shards.of(id).conversationEvents(id);
    const everyMs = this.#port.settings.feedCheckMs;
    await using notifier = await Notifier.subscribe(this.#channels, channel, { everyMs, signal });
    for (let last = after; !signal?.aborted; await notifier.wait()) {
      const now = await this.read(principal, id);
      if (!now) throw new ConversationMissing(id);
      // A fail-over has lost events: from the beginning, rather than with a hole.
      if (now.seq < last) last = 0;
      for (const item of await this.events(id, last)) {
        if (signal?.aborted) return;
        yield item;
        last = item.seq;
      }
      if (now.isComplete && last >= now.seq) return;
    }
  }

  /** The task that held the conversation has ended: so does the conversation. */
  async abandon(id: string): Promise<void> {
    const conversation = await readConversation(this.#port, id);
    if (!conversation || conversation.isComplete) return;
    await this.#append({ ...conversation, fence: '' }, conversation.seq + 1, abandonedEntries(conversation));
  }

  #append(place: Place, seq: number, entries: readonly ConversationEntry[]): Promise<unknown> {
    const { redis, settings } = this.#port;
    const { caller, conversation, events, index } = this.#keys(place);
    const last = entries.at(-1);
    return appendConversationScript.run(
      redis,
      [...caller, conversation, events, index],
      [
        place.fence,
        place.id,
        settings.retentionMs,
        seq,
        last?.nextTurn ?? 0,
        last?.isEnd ? '1' : '',
        ...entries.map(({ event }) => JSON.stringify(event).slice(1)),
      ],
    );
  }

  #keys({ id, taskId, owner, contextId }: Omit<Place, 'fence'>) {
    const keys = this.#port.shards.of(taskId);
    const task = keys.task(taskId);
    return {
      caller: [task, `${task}:c`],
      conversation: keys.conversation(id),
      events: keys.conversationEvents(id),
      index: keys.conversations(owner, contextId),
    };
  }
}
