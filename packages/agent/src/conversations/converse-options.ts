import type { CallReply } from '../calls/call-reply.ts';

/** What the other agent has said. */
export interface Heard {
  readonly conversationId: string;
  /** Of what was heard: 1, 3, … */
  readonly turn: number;
  readonly text: string;
  /** Everything that was said so far, turn 0 first; this agent's are the even ones. */
  readonly texts: readonly string[];
  /** What the text was taken from. */
  readonly reply: CallReply;
}

export interface ConverseOptions {
  /** What this agent says first: turn 0. */
  readonly message: string;
  /** What this agent answers, or `REPLY_SKIP`. Runs as a step: once for each turn, whatever dies. */
  readonly reply: (heard: Heard) => string | Promise<string>;
  /** The highest number that a turn may have, 1 to 100. Default: 5, the other agent's third reply. */
  readonly maxTurns?: number;
  /** Longest wait for each reply of the other agent, in milliseconds. Default: as long as the turn may take. */
  readonly timeoutMs?: number;
}

/** How a conversation went. */
export interface Conversed {
  readonly conversationId: string;
  /** `skip`: one of the two had nothing more to say. `error`: the other agent failed, or took too long. */
  readonly ended: 'max-turns' | 'skip' | 'error';
  /** What was said, turn 0 first. */
  readonly texts: readonly string[];
  /** With `error`: why. */
  readonly error?: string;
}
