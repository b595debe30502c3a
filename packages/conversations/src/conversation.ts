/** The part of a conversation that does not change. */
export interface ConversationHead {
  readonly id: string;
  readonly contextId: string;
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly maxTurns: number;
  /** The task whose turn holds the conversation. */
  readonly taskId: string;
}

/** The current state of a conversation. */
export interface ConversationReading extends ConversationHead {
  /** The number of its last event. */
  readonly seq: number;
  readonly isComplete: boolean;
}

/** A conversation in a list. */
export interface ListedConversation extends ConversationReading {
  /** In ms since 1970; infinite as long as it goes on. */
  readonly endedMs: number;
}

/** An event to be written. */
export interface ConversationEntry {
  /** Without seq and timestamp, which append-conversation.lua adds. */
  readonly event: object;
  /** Number of the turn that follows it. */
  readonly nextTurn: number;
  readonly isEnd: boolean;
}

/** An event as it was written. */
export interface ConversationItem {
  readonly seq: number;
  readonly json: string;
}

/** This principal has no such conversation, or it has expired. */
export class ConversationMissing extends Error {
  override readonly name = 'ConversationMissing';

  constructor(id: string) {
    super(`There is no conversation ${id}.`);
  }
}
