import type { ConversationEvent } from './conversation-event.ts';

/** A new conversation. */
export interface NewConversation {
  /** The same in every attempt at the turn, and different for every conversation. */
  readonly seed: string;
  readonly toAgent: string;
  readonly maxTurns: number;
}

/** Stores conversations. */
export interface ConversationPort {
  /** Opens a conversation, or finds that of an earlier attempt. @returns its id. @throws {TurnEnded} */
  open(conversation: NewConversation): Promise<string>;
  /**
   * Adds an event, unless there is one with its number.
   * @param seq 1, 2, … within the conversation
   * @throws {TurnEnded}
   */
  append(seq: number, event: ConversationEvent): Promise<void>;
}
