import type { CallReply } from '../calls/call-reply.ts';

/** A message of the other agent. */
export interface PeerMessage {
  readonly conversationId: string;
  /** Its turn: 1, 3, … */
  readonly turn: number;
  readonly text: string;
  /** All texts so far, turn 0 first; this agent's are the even ones. */
  readonly texts: readonly string[];
  /** The reply that has the text. */
  readonly reply: CallReply;
}

/** Options of a conversation with another agent. */
export interface ConversationOptions {
  /** This agent's first message: turn 0. */
  readonly message: string;
  /** This agent's answer, or `endOfConversation`. Runs as a step: once for each turn, also when workers die. */
  readonly reply: (message: PeerMessage) => string | Promise<string>;
  /** The highest number that a turn may have, 1 to 100. Default: 5, the other agent's third reply. */
  readonly maxTurns?: number;
  /** Longest wait for each reply of the other agent, in milliseconds. Default: as long as the turn may take. */
  readonly timeoutMs?: number;
}

/** The result of a conversation. */
export interface ConversationResult {
  readonly conversationId: string;
  /** `by-agent`: one of the two answered `endOfConversation`. `error`: the other agent failed, or took too long. */
  readonly ended: 'max-turns' | 'by-agent' | 'error';
  /** All texts, turn 0 first. */
  readonly texts: readonly string[];
  /** The reason of `error`. */
  readonly error?: string;
}
