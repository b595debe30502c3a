import type { AgentExtension, Message } from '@switchyard/protocol';

/** URI of the A2A extension "conversations between agents": docs/conversations.md. */
export const conversationsUri = 'https://switchyard.dev/a2a/extensions/conversations/v1';

/** To be put into `capabilities.extensions` of the card of an agent that takes part in conversations (A2A 4.6). */
export const conversationsExtension: AgentExtension = {
  uri: conversationsUri,
  description:
    'Takes part in conversations with other agents: every turn is an event of a stored feed, which can be read at /conversations/<id>.',
};

/** The control word with which an agent ends a conversation instead of answering. */
export const REPLY_SKIP = 'REPLY_SKIP';

interface Participants {
  readonly conversationId: string;
  readonly fromAgent: string;
  readonly toAgent: string;
}

/** One of the agents has said something. Turn 0 opens, turn 1 is the first reply, 2 and on the exchange. */
export interface ConversationTurn extends Participants {
  readonly phase: 'turn';
  readonly turn: number;
  /** The highest number that a turn may have. */
  readonly maxTurns: number;
  readonly text: string;
  /** The A2A task that carried it. */
  readonly taskId: string;
}

/** A turn could not be: it failed, or took too long. */
export interface ConversationFailure extends Participants {
  readonly phase: 'error';
  readonly turn: number;
  readonly error: string;
  /** The A2A task that was to carry it, if there is one. */
  readonly taskId?: string;
}

/** The end: always the last event, and the only one of its kind. */
export interface ConversationEnd extends Participants {
  readonly phase: 'complete';
}

export type ConversationEvent = ConversationTurn | ConversationFailure | ConversationEnd;

/** What the message of a conversation says of it, under the extension's URI in its metadata. */
export interface ConversationPlace {
  readonly conversationId: string;
  readonly fromAgent: string;
  readonly turn: number;
  readonly maxTurns: number;
}

/** The conversation that a message belongs to, if it does. */
export function conversationOf({ metadata }: Pick<Message, 'metadata'>): ConversationPlace | undefined {
  const place = metadata?.[conversationsUri];
  return isPlace(place) ? place : undefined;
}

function isPlace(value: unknown): value is ConversationPlace {
  if (typeof value !== 'object' || value === null) return false;
  return 'conversationId' in value && 'fromAgent' in value && 'turn' in value && 'maxTurns' in value;
}
