import type { ConversationEvent } from './conversation-event.ts';

/** A conversation as it begins. */
export interface NewConversation {
  /** The same in every attempt at the turn that holds the conversation, and of no other conversation. */
  readonly seed: string;
  readonly toAgent: string;
  readonly maxTurns: number;
}

/** Where conversations are kept. */
export interface ConversationPort {
  /** Makes it, or finds the one that an earlier attempt has made. @returns its id. @throws {TurnEnded} */
  open(conversation: NewConversation): Promise<string>;
  /**
   * Adds an event. One that is there already, by its number, stays as it is.
   * @param seq 1, 2, … within the conversation
   * @throws {TurnEnded}
   */
  append(seq: number, event: ConversationEvent): Promise<void>;
}
