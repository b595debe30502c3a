import type { Message } from '@switchyard/protocol';
import { originIn, originOf } from '../messages/derived-id.ts';
import { described } from '../messages/described-part.ts';
import type { Turn } from '../turn/turn.ts';
import { type DialogueFile, DialogueFiles, type FileOptionsOfModels } from './dialogue-files.ts';

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
 * @param given `needsFiles`: the turn cannot go on without the files of its message. Once a model has answered them, it
 * goes on without those that were deleted since
 * @throws {AgentError} a file of the turn's message does not exist, or may not be read
 * @throws {RetryableError} a file cannot be read now
 */
export async function dialogueOf(
  turn: Turn,
  options: DialogueOptions,
  { needsFiles }: { readonly needsFiles: boolean },
): Promise<DialogueMessage[]> {
  const { historyLength = Number.POSITIVE_INFINITY } = options;
  const files = new DialogueFiles(turn, options);
  const latestFirst = messagesUpTo(turn).slice(-Math.max(1, historyLength)).reverse();
  // One after the other: there is a limit for all files together.
  const dialogue = await Array.fromAsync(latestFirst, (each) =>
    asDialogue(each, files, needsFiles && each === turn.message),
  );
  return dialogue.reverse();
}

/**
 * The conversation with the turn's message last. Left out are later messages of the client, which have turns of their
 * own, and what earlier attempts at this turn have said: each attempt asks the model the same.
 */
function messagesUpTo({ history, message, task }: Turn): Message[] {
  const own = originOf({ taskId: task.id, messageId: message.messageId });
  const at = history.findIndex(({ messageId }) => messageId === message.messageId);
  const earlier = history.filter(
    ({ role, messageId }, index) =>
      index !== at && (role === 'ROLE_AGENT' ? originIn(messageId) !== own : at < 0 || index < at),
  );
  return [...inTurns(earlier, task.id), message];
}

/**
 * A message that arrived during another turn is in the history before the answer of that turn: it is moved to what its
 * own turn has said first. It stays where it is if that is nothing, as after a message that steered the other turn.
 */
function inTurns(history: readonly Message[], taskId: string): Message[] {
  const ordered: Message[] = [];
  const waiting = new Map<string, Message>();
  for (const each of history) {
    if (each.role !== 'ROLE_AGENT') waiting.set(originOf({ taskId, messageId: each.messageId }), each);
    const origin = originIn(each.messageId);
    const asked = each.role === 'ROLE_AGENT' ? waiting.get(origin) : undefined;
    waiting.delete(origin);
    // Only what other turns have said is between the two in a wrong order.
    const from = asked ? ordered.lastIndexOf(asked) : -1;
    if (asked && ordered.slice(from).some(({ role }) => role === 'ROLE_AGENT')) {
      ordered.splice(from, 1);
      ordered.push(asked);
    }
    ordered.push(each);
  }
  return ordered;
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
