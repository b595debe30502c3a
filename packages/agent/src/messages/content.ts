import { randomUUID } from 'node:crypto';
import type { Message, Metadata, Part } from '@switchyard/protocol';
import { TurnMisuseError } from '../port/turn-errors.ts';

/** Content of a message or an artifact: a text, one part, or several (A2A 4.1.6). */
export type PartContent = string | Part | readonly Part[];

/**
 * The content of a message of the agent; the long form has metadata and the URIs of the extensions that it uses
 * (A2A 4.1.4).
 */
export type Content = PartContent | MessageContent;

/** Parts of a message, with its metadata and extensions. */
export interface MessageContent {
  readonly parts: readonly Part[];
  readonly metadata?: Metadata;
  readonly extensions?: readonly string[];
}

/** @throws {TurnMisuseError} when there is no part: a message and an artifact have at least one (A2A 4.1.4, 4.1.7) */
export function toParts(content: PartContent, mediaType?: string): Part[] {
  if (typeof content === 'string') return [textPart(content, mediaType)];
  const parts = isPartList(content) ? [...content] : [content];
  if (parts.length === 0)
    throw new TurnMisuseError('The content has no part: give a text, a part, or a list of at least one part.');
  return parts;
}

export function textPart(text: string, mediaType?: string): Part {
  return mediaType === undefined ? { text } : { text, mediaType };
}

/** A new message of the agent. */
export function agentMessage(content: Content): Message {
  const { parts, metadata, extensions } = isMessageContent(content) ? content : { parts: content };
  return {
    messageId: randomUUID(),
    role: 'ROLE_AGENT',
    parts: toParts(parts),
    ...(metadata && { metadata }),
    ...(extensions && { extensions: [...extensions] }),
  };
}

/**
 * The text parts of a message, each on a line of its own; empty when it has none.
 *
 *     const asked = turn.history.filter(({ role }) => role === 'ROLE_USER').map(textOf);
 */
export function textOf({ parts }: Pick<Message, 'parts'>): string {
  return parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
}

function isMessageContent(content: Content): content is MessageContent {
  return typeof content === 'object' && 'parts' in content;
}

function isPartList(content: Part | readonly Part[]): content is readonly Part[] {
  return Array.isArray(content);
}
