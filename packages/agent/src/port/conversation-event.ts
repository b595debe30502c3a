import { type AgentExtension, conversationsUri, type Message } from '@switchyard/protocol';

/** Add it to `capabilities.extensions` in the card of an agent that takes part in conversations (A2A 4.6). */
export const conversationsExtension: AgentExtension = {
  uri: conversationsUri,
  description:
    'Takes part in conversations with other agents: every turn is an event of a stored feed, ' +
    'which can be read at /conversations/<id>.',
};

/** An agent's answer that ends a conversation: `REPLY_SKIP`, as docs/extensions/conversations.md says. */
export const endOfConversation = 'REPLY_SKIP';

interface Participants {
  readonly conversationId: string;
  readonly fromAgent: string;
  readonly toAgent: string;
}

/** A message of one of the agents. Turn 0 opens, turn 1 is the first reply, and so on. */
export interface ConversationTurn extends Participants {
  readonly phase: 'turn';
  readonly turn: number;
  /** The highest number that a turn may have. */
  readonly maxTurns: number;
  readonly text: string;
  /** The A2A task of the message. */
  readonly taskId: string;
}

/** A turn failed, or took too long. */
export interface ConversationFailure extends Participants {
  readonly phase: 'error';
  readonly turn: number;
  readonly error: string;
  /** The A2A task of the message, if there is one. */
  readonly taskId?: string;
}

/** The end: always the last event, and the only one of its kind. */
export interface ConversationEnd extends Participants {
  readonly phase: 'complete';
}

/** An event of the feed of a conversation, as clients read it. */
export type ConversationEvent = ConversationTurn | ConversationFailure | ConversationEnd;

/** The conversation and turn of a message, in its metadata under the URI of the extension. */
export interface ConversationPosition {
  readonly conversationId: string;
  readonly fromAgent: string;
  readonly turn: number;
  readonly maxTurns: number;
}

/**
 * The conversation of a message, if it has one.
 *
 *     const position = conversationOf(turn.message);
 *     if (position && position.turn === position.maxTurns) return turn.complete('Agreed.');
 */
export function conversationOf({ metadata }: Pick<Message, 'metadata'>): ConversationPosition | undefined {
  const position = metadata?.[conversationsUri];
  return isPosition(position) ? position : undefined;
}

function isPosition(value: unknown): value is ConversationPosition {
  if (typeof value !== 'object' || value === null) return false;
  return 'conversationId' in value && 'fromAgent' in value && 'turn' in value && 'maxTurns' in value;
}
