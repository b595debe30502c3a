import { type RedisConnection, readStream } from '@switchyard/redis';
import type { StoreSettings } from '@switchyard/store';
import type { Shards } from '@switchyard/store/inside';
import type { ConversationHead, ConversationItem, ConversationReading, ListedConversation } from './conversation.ts';

export interface ReaderDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: Pick<StoreSettings, 'maxPageBytes'>;
}

/** A conversation with the fields that its clients do not see. */
export interface StoredConversation extends ConversationReading {
  /** Its principal, as `principalKey`. */
  readonly owner: string;
  /** The number of the turn that comes next. */
  readonly nextTurn: number;
}

export async function readConversation(
  { redis, shards }: ReaderDependencies,
  id: string,
): Promise<StoredConversation | undefined> {
  const key = shards.of(id).conversation(id);
  const [owner, head, seq, turn, ended] = await redis.hmget(key, 'owner', 'head', 'seq', 'turn', 'ended');
  if (!owner || !head) return undefined;
  const read: ConversationHead = JSON.parse(head);
  return { ...read, owner, seq: Number(seq), nextTurn: Number(turn), isComplete: ended === '1' };
}

/** Events of one read at most. */
const PAGE = 1_000;

/** The next page of events after `after`; empty: there are no more yet. */
export async function readConversationEvents(
  { redis, shards, settings }: ReaderDependencies,
  id: string,
  after: number,
): Promise<ConversationItem[]> {
  const page = { from: `${after + 1}-0`, limit: PAGE, bytes: settings.maxPageBytes };
  const entries = await readStream(redis, shards.of(id).conversationEvents(id), page);
  return entries.map(([entry, [, json = '']]) => ({ seq: Number.parseInt(entry, 10), json }));
}

/** Conversations that go on first, then the ended ones, the latest first. Expired ones are left out. */
export async function listConversations(
  dependencies: ReaderDependencies,
  owner: string,
  { contextId, limit }: { contextId: string; limit: number },
): Promise<(StoredConversation & ListedConversation)[]> {
  const key = dependencies.shards.of(contextId).conversations(owner, contextId);
  const entries = await dependencies.redis.zrevrange(key, 0, limit - 1, 'WITHSCORES');
  const ids = entries.filter((_, i) => i % 2 === 0);
  const found = await Promise.all(ids.map((id) => readConversation(dependencies, id)));
  return found.flatMap((conversation, i) => {
    const end = entries[2 * i + 1] ?? 'inf';
    return conversation ? [{ ...conversation, endedMs: end === 'inf' ? Number.POSITIVE_INFINITY : Number(end) }] : [];
  });
}
