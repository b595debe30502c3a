import { derivedId } from '../messages/derived-id.ts';
import type { ConversationEvent } from '../port/conversation-event.ts';
import type { ConversationPort, NewConversation } from '../port/conversation-port.ts';
import type { MemoryWorld } from './memory-world.ts';

/** Conversations that a test can read in `world.conversations`. */
export class MemoryConversations implements ConversationPort {
  readonly #world: MemoryWorld;

  constructor(world: MemoryWorld) {
    this.#world = world;
  }

  async open({ seed }: NewConversation): Promise<string> {
    const id = derivedId([seed]);
    if (!this.#world.conversations.has(id)) this.#world.conversations.set(id, []);
    return id;
  }

  async append(seq: number, event: ConversationEvent): Promise<void> {
    const events = this.#world.conversations.get(event.conversationId);
    if (events?.length === seq - 1) events.push(event);
  }
}
