import type { Message } from '@switchyard/protocol';
import type { Turn } from '../turn/turn.ts';
import { type DialogueFile, DialogueFiles, described, type FileOptionsOfModels } from './dialogue-files.ts';

export interface DialogueOptions extends FileOptionsOfModels {
  /** The system prompt. Default: none. */
  readonly system?: string | undefined;
  /** How many of the latest messages the model gets, the turn's own included: at least 1. Default: all. */
  readonly historyLength?: number | undefined;
}

/** A message for a model: a text of the client (`user`), or of the agent (`assistant`). */
export interface DialogueMessage {
  readonly role: 'user' | 'assistant';
  /** Data as JSON, files by their names. */
  readonly text: string;
  /** Files whose content the model gets, in the order of their names in the text; an assistant has none. */
  readonly files: readonly DialogueFile[];
}

/**
 * The messages for the model: ROLE_USER as user, ROLE_AGENT as assistant, the message of the turn last.
 * @throws {AgentError} a file of the turn's message does not exist, or may not be read
 * @throws {RetryableError} a file cannot be read now
 */
export async function dialogueOf(turn: Turn, options: DialogueOptions): Promise<DialogueMessage[]> {
  const { historyLength = Number.POSITIVE_INFINITY } = options;
  const files = new DialogueFiles(turn, options);
  const latestFirst = messagesUpTo(turn).slice(-Math.max(1, historyLength)).reverse();
  // One after the other: there is a limit for all files together.
  const dialogue = await Array.fromAsync(latestFirst, (each) => asDialogue(each, files, each === turn.message));
  return dialogue.reverse();
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

async function asDialogue(
  { role, parts }: Message,
  files: DialogueFiles,
  isRequired: boolean,
): Promise<DialogueMessage> {
  if (role === 'ROLE_AGENT') return { role: 'assistant', text: parts.map(described).join('\n'), files: [] };
  const read = await Array.fromAsync(parts, (part) => files.read(part, { isRequired }));
  const text = read.map(({ text }) => text).join('\n');
  return { role: 'user', text, files: read.flatMap(({ file }) => file ?? []) };
}
