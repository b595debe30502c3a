import type { Principal } from '@switchyard/protocol';
import { type Channels, defineScript, word } from '@switchyard/redis';
import { type OpenTurn, principalKey, type StoreSettings, TurnFenced } from '@switchyard/store';
import { idText, WritesLost } from '@switchyard/store/inside';
import {
  type ConversationEntry,
  type ConversationHead,
  type ConversationItem,
  ConversationMissing,
  type ConversationReading,
  type ListedConversation,
} from './conversation.ts';
import {
  listConversations,
  type ReaderDependencies,
  readConversation,
  readConversationEvents,
  type StoredConversation,
} from './conversation-reader.ts';
import { Notifier } from './notifier.ts';

const from = import.meta.url;
const keys = ['task', 'calls', 'conversation', 'index', 'all'] as const;
const openScript = defineScript({
  file: 'open-conversation.lua',
  from,
  keys,
  args: ['fence', 'id', 'owner', 'context', 'head'],
  reply: word('opened', 'fenced'),
});
const appendScript = defineScript({
  file: 'append-conversation.lua',
  from,
  keys: [...keys, 'events'],
  args: ['fence', 'id', 'keptMs', 'first', 'turn', 'isEnd', 'events*'],
  reply: word('written', 'fenced', 'missing'),
});

export interface ConversationsDependencies extends ReaderDependencies {
  readonly settings: StoreSettings;
  readonly channels: Channels;
}

export interface NewConversation {
  /** The same in every attempt at the turn, and different for each conversation of a task. */
  readonly seed: string;
  readonly toAgent: string;
  readonly maxTurns: number;
}

export interface FollowConversationOptions {
  /** The last event that is known already (Last-Event-ID). */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The conversation to write to, and the fencing token: '' if the task that holds the conversation has ended. */
interface WriteTarget {
  readonly id: string;
  readonly taskId: string;
  readonly owner: string;
  readonly contextId: string;
  readonly fence: string;
}

/**
 * Conversations between agents. Each is a feed of numbered events of its own, kept for the retention after its end.
 */
export class Conversations {
  readonly #dependencies: ConversationsDependencies;

  constructor(dependencies: ConversationsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Opens a conversation, or finds that of an earlier attempt at the turn. @throws {TurnFenced} */
  async open({ start }: OpenTurn, { seed, toAgent, maxTurns }: NewConversation): Promise<string> {
    const { redis, shards } = this.#dependencies;
    const { taskId, agent, fence, principal, task } = start;
    const { contextId = '' } = task;
    const id = shards.derivedId(taskId, `${taskId} ${seed}`);
    const head: ConversationHead = { id, contextId, fromAgent: agent, toAgent, maxTurns, taskId };
    const owner = principalKey(principal);
    const args = { fence, id, owner, context: idText(contextId), head: JSON.stringify(head) };
    const verdict = await openScript.run(redis, { keys: this.#keys({ id, taskId, owner, contextId }), args });
    if (verdict !== 'opened') throw new TurnFenced();
    return id;
  }

  /** Appends an event; if its `seq` is written already, nothing changes. @throws {TurnFenced} @throws {WritesLost} */
  async append({ start }: OpenTurn, id: string, entry: ConversationEntry & { readonly seq: number }): Promise<void> {
    const { taskId, fence, principal, task } = start;
    const target = { id, taskId, owner: principalKey(principal), contextId: task.contextId ?? '', fence };
    const verdict = await this.#append(target, entry.seq, [entry]);
    if (verdict === 'fenced') throw new TurnFenced();
    if (verdict === 'missing') throw new WritesLost();
  }

  /** @returns undefined: this principal has no such conversation, or it has expired */
  async read(principal: Principal, id: string): Promise<ConversationReading | undefined> {
    const conversation = await readConversation(this.#dependencies, id);
    return conversation?.owner === principalKey(principal) ? conversation : undefined;
  }

  /** At most `limit` conversations: those that go on first, then the ended ones, the latest first. */
  list(principal: Principal, query: { contextId: string; limit: number }): Promise<readonly ListedConversation[]> {
    return listConversations(this.#dependencies, principalKey(principal), query);
  }

  /** The next page of events after `after` (`maxPageBytes`). Does not check the principal: call `read` before. */
  events(id: string, after = 0): Promise<ConversationItem[]> {
    return readConversationEvents(this.#dependencies, id, after);
  }

  /**
   * Every event after `after`, once and in order, until the conversation ends or the signal aborts.
   * @throws {ConversationMissing}
   */
  async *follow(
    principal: Principal,
    id: string,
    { after = 0, signal }: FollowConversationOptions = {},
  ): AsyncGenerator<ConversationItem, void> {
    const channel = this.#dependencies.shards.of(id).conversationEvents(id);
    const everyMs = this.#dependencies.settings.feedCheckMs;
    await using notifier = await Notifier.subscribe(this.#dependencies.channels, channel, { everyMs, signal });
    for (let last = after; !signal?.aborted; await notifier.wait()) {
      const now = await this.read(principal, id);
      if (!now) throw new ConversationMissing(id);
      // A fail-over lost events: they are sent again from the first one, rather than with a gap.
      if (now.seq < last) last = 0;
      for await (const item of this.#eventsUpTo(now.seq, id, last)) {
        if (signal?.aborted) return;
        yield item;
        last = item.seq;
      }
      if (now.isComplete && last >= now.seq) return;
    }
  }

  async *#eventsUpTo(seq: number, id: string, after: number): AsyncGenerator<ConversationItem, void> {
    for (let last = after; last < seq; ) {
      const items = await this.events(id, last);
      if (items.length === 0) return;
      yield* items;
      last = items.at(-1)?.seq ?? seq;
    }
  }

  /** Ends a conversation, because the task that held it has ended. */
  async abandon(id: string): Promise<void> {
    const conversation = await readConversation(this.#dependencies, id);
    if (!conversation || conversation.isComplete) return;
    await this.#append({ ...conversation, fence: '' }, conversation.seq + 1, abandonedEntries(conversation));
  }

  #append(target: WriteTarget, first: number, entries: readonly ConversationEntry[]) {
    const { redis, shards, settings } = this.#dependencies;
    const last = entries.at(-1);
    return appendScript.run(redis, {
      keys: { ...this.#keys(target), events: shards.of(target.taskId).conversationEvents(target.id) },
      args: {
        fence: target.fence,
        id: target.id,
        keptMs: settings.retentionMs,
        first,
        turn: last?.nextTurn ?? 0,
        isEnd: last?.isEnd ? '1' : '',
        events: entries.map(({ event }) => JSON.stringify(event).slice(1)),
      },
    });
  }

  #keys({ id, taskId, owner, contextId }: Omit<WriteTarget, 'fence'>) {
    const keys = this.#dependencies.shards.of(taskId);
    const task = keys.task(taskId);
    return {
      task,
      calls: `${task}:c`,
      conversation: keys.conversation(id),
      index: keys.conversations(owner, contextId),
      all: keys.allConversations,
    };
  }
}

/**
 * The last events of a conversation whose task has ended without ending it: it was canceled, or its agent failed or
 * never came back.
 */
function abandonedEntries({ id, nextTurn, ...head }: StoredConversation): ConversationEntry[] {
  const [fromAgent, toAgent] = nextTurn % 2 === 0 ? [head.fromAgent, head.toAgent] : [head.toAgent, head.fromAgent];
  const error = 'The task that held the conversation has ended.';
  const failure = { conversationId: id, fromAgent, toAgent, phase: 'error', turn: nextTurn, error };
  const end = { conversationId: id, fromAgent: head.fromAgent, toAgent: head.toAgent, phase: 'complete' };
  return [
    { event: failure, nextTurn, isEnd: false },
    { event: end, nextTurn, isEnd: true },
  ];
}
