import {
  type ConversationItem,
  readConversation,
  readConversationEvents,
  type StoredConversation,
} from '@switchyard/conversations';
import { latestFirst, type Page, type PageQuery, pageOf, principalOf } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** A conversation of any principal. */
export interface ConversationRow {
  readonly conversationId: string;
  readonly contextId: string;
  /** The agent that began it. */
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly tenant: string;
  readonly subject: string;
  /** The task whose turn holds it. */
  readonly taskId: string;
  readonly maxTurns: number;
  readonly state: 'open' | 'complete';
  readonly lastSeq: number;
}

/** Conversations must match all fields that are set. */
export interface ConversationFilter {
  readonly tenant?: string | undefined;
  readonly subject?: string | undefined;
  readonly contextId?: string | undefined;
  readonly state?: ConversationRow['state'] | undefined;
}

interface Entry {
  readonly id: string;
  readonly atMs: number;
}

/** Conversations of one shard that are listed: those with the latest events. */
const LISTED = 1_000;

/** Conversations of all principals, for operators. */
export class OperatorConversations {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** The latest event first; `at` is its ISO time. @throws {InvalidPageToken} */
  async list(
    query: PageQuery,
    filter: ConversationFilter = {},
  ): Promise<Page<ConversationRow & { readonly at: string }>> {
    const entries = await this.#entries();
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const page = pageOf(isFiltered ? await this.#matching(entries, filter) : entries, query, {
      list: `conversations ${JSON.stringify(filter)}`,
      positionOf: ({ id, atMs }) => latestFirst(atMs, id),
    });
    const rows = await Promise.all(page.items.map((entry) => this.#row(entry)));
    // Some have expired.
    return { ...page, items: rows.filter((row) => row !== undefined) };
  }

  /** @returns undefined: there is no such conversation, or it has expired */
  async read(id: string): Promise<ConversationRow | undefined> {
    const found = await readConversation(this.#dependencies, id);
    return found && rowOf(found);
  }

  /** The next page of events after `after` (`maxPageBytes`). */
  events(id: string, after = 0): Promise<ConversationItem[]> {
    return readConversationEvents(this.#dependencies, id, after);
  }

  async #matching(entries: readonly Entry[], filter: ConversationFilter): Promise<Entry[]> {
    const rows = await Promise.all(entries.map(({ id }) => this.read(id)));
    return entries.filter((_, i) => matches(rows[i], filter));
  }

  async #row({ id, atMs }: Entry): Promise<(ConversationRow & { readonly at: string }) | undefined> {
    const row = await this.read(id);
    return row && { ...row, at: new Date(atMs).toISOString() };
  }

  async #entries(): Promise<Entry[]> {
    const { redis, shards } = this.#dependencies;
    const read = async (key: string): Promise<Entry[]> => {
      const flat = await redis.zrevrange(key, 0, LISTED - 1, 'WITHSCORES');
      return flat.flatMap((id, i) => (i % 2 === 0 ? { id, atMs: Number(flat[i + 1]) } : []));
    };
    return (await Promise.all(shards.all.map(({ allConversations }) => read(allConversations)))).flat();
  }
}

function rowOf({ id, owner, seq, isComplete, ...head }: StoredConversation): ConversationRow {
  const { contextId, fromAgent, toAgent, taskId, maxTurns } = head;
  const { tenant, subject } = principalOf(owner, []);
  const state = isComplete ? 'complete' : 'open';
  return {
    conversationId: id,
    contextId,
    fromAgent,
    toAgent,
    tenant,
    subject,
    taskId,
    maxTurns,
    state,
    lastSeq: seq,
  };
}

function matches(row: ConversationRow | undefined, { tenant, subject, contextId, state }: ConversationFilter): boolean {
  if (!row) return false;
  if (tenant !== undefined && row.tenant !== tenant) return false;
  if (subject !== undefined && row.subject !== subject) return false;
  if (contextId !== undefined && row.contextId !== contextId) return false;
  return state === undefined || row.state === state;
}
