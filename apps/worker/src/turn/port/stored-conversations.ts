import type { ConversationEvent } from '@switchyard/agent';
import type { ConversationPort, NewConversation } from '@switchyard/agent/runtime';
import type { Conversations } from '@switchyard/conversations';
import type { OpenTurn } from '@switchyard/store';
import { mapStoreErrors } from './store-errors.ts';

export class StoredConversations implements ConversationPort {
  readonly #conversations: Conversations;
  readonly #turn: OpenTurn;

  constructor(conversations: Conversations, turn: OpenTurn) {
    this.#conversations = conversations;
    this.#turn = turn;
  }

  open(conversation: NewConversation): Promise<string> {
    return mapStoreErrors(() => this.#conversations.open(this.#turn, conversation));
  }

  append(seq: number, event: ConversationEvent): Promise<void> {
    const entry = { seq, event, nextTurn: nextTurn(seq, event), isEnd: event.phase === 'complete' };
    return mapStoreErrors(() => this.#conversations.append(this.#turn, event.conversationId, entry));
  }
}

/** Number of the next turn. After the end the value is not used. */
function nextTurn(seq: number, event: ConversationEvent): number {
  if (event.phase === 'turn') return event.turn + 1;
  return event.phase === 'error' ? event.turn : seq;
}
