import type { Message, Part } from '@switchyard/protocol';
import type { Turn } from '../turn/turn.ts';

export interface DialogueOptions {
  /** The system prompt. Default: none. */
  readonly system?: string | undefined;
  /** How many of the latest messages the model gets, the turn's own included: at least 1. Default: all. */
  readonly historyLength?: number | undefined;
}

/** A message for a model: a text of the client (`user`), or of the agent (`assistant`). */
export interface DialogueMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** The messages for the model: ROLE_USER as user, ROLE_AGENT as assistant, the message of the turn last. */
export function dialogueOf(
  turn: Turn,
  { historyLength = Number.POSITIVE_INFINITY }: Pick<DialogueOptions, 'historyLength'> = {},
): DialogueMessage[] {
  return messagesUpTo(turn).slice(-Math.max(1, historyLength)).map(asDialogue);
}

/** Metadata key of a text that the model wrote before a tool call. Its value: the id of the message it answers. */
export const interimKey = 'switchyard.interim';

/**
 * The history with the turn's message last. Later messages of the client are left out, as they have turns of their own.
 * Later messages of the agent belong to earlier turns, unless an earlier attempt at this turn wrote them.
 */
function messagesUpTo({ history, message }: Turn): Message[] {
  const at = history.findIndex(({ messageId }) => messageId === message.messageId);
  const [before, since] = at < 0 ? [history, []] : [history.slice(0, at), history.slice(at + 1)];
  const ofAgent = since.filter(
    ({ role, metadata }) => role === 'ROLE_AGENT' && metadata?.[interimKey] !== message.messageId,
  );
  return [...before, ...ofAgent, message];
}

function asDialogue({ role, parts }: Message): DialogueMessage {
  return { role: role === 'ROLE_AGENT' ? 'assistant' : 'user', text: parts.map(described).join('\n') };
}

/** Text unchanged, data as JSON, files by name and type only: their content may be of any size. */
function described(part: Part): string {
  if (part.text !== undefined) return part.text;
  if (part.raw !== undefined) return `[${file(part)}, ${Buffer.byteLength(part.raw, 'base64')} bytes]`;
  if (part.url !== undefined) return `[${file(part)}: ${part.url}]`;
  return JSON.stringify(part.data);
}

function file({ filename, mediaType }: Part): string {
  return `file${filename ? ` ${filename}` : ''}${mediaType ? ` (${mediaType})` : ''}`;
}
