import type { Conversations } from '@switchyard/store';

/** The part of the store's conversations that a gateway shows. */
export type ConversationStore = Pick<Conversations, 'read' | 'list' | 'events' | 'follow'>;
