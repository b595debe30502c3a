import type { ConversationStore } from '../operations/backend.ts';
import { askInTime } from './with-store-deadline.ts';

/** The same conversations, but nobody waits longer than `ms` for Redis. A stream waits as long as its client does. */
export function conversationsInTime(
  store: { readonly conversations: ConversationStore; readonly isAnswering: boolean },
  ms: number,
): ConversationStore {
  const { conversations } = store;
  return {
    read: (principal, id) => askInTime(store, ms, () => conversations.read(principal, id)),
    list: (principal, query) => askInTime(store, ms, () => conversations.list(principal, query)),
    events: (id, after) => askInTime(store, ms, () => conversations.events(id, after)),
    follow: (principal, id, options) => conversations.follow(principal, id, options),
  };
}
