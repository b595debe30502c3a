/** What does not change of a conversation. */
export interface ConversationHead {
  readonly id: string;
  readonly contextId: string;
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly maxTurns: number;
  /** The task whose turn holds the conversation. */
  readonly taskId: string;
}

/** A conversation as it is now. */
export interface ConversationReading extends ConversationHead {
  /** The number of its last event. */
  readonly seq: number;
  readonly isComplete: boolean;
}

/** An event to be written. */
export interface ConversationEntry {
  /** Without seq and timestamp: they are the store's. */
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

/** No such conversation of this principal, or no longer. */
export class ConversationMissing extends Error {
  override readonly name = 'ConversationMissing';

  constructor(id: string) {
    super(`There is no conversation ${id}.`);
  }
}
