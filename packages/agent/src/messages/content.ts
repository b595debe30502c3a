import { randomUUID } from 'node:crypto';
import type { Message, Metadata, Part } from '@switchyard/protocol';
import { TurnMisuseError } from '../port/turn-errors.ts';

/** A part has exactly one of these, and all but data are strings (A2A 4.1.6). */
const contents = ['text', 'raw', 'url', 'data'] as const;
/** Most names of fields in an error. */
const MAX_NAMES = 10;

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

/**
 * @throws {TurnMisuseError} there is no part, though a message and an artifact have at least one (A2A 4.1.4, 4.1.7), or
 *   a part is none: agents in JavaScript give anything
 */
export function toParts(content: PartContent, mediaType?: string): Part[] {
  if (typeof content === 'string') return [textPart(content, mediaType)];
  if (typeof content !== 'object' || content === null)
    throw new TurnMisuseError(`The content is a text, a part, or a list of parts, not ${typeName(content)}.`);
  const parts = isPartList(content) ? [...content] : [content];
  if (parts.length === 0)
    throw new TurnMisuseError('The content has no part: give a text, a part, or a list of at least one part.');
  for (const [at, part] of parts.entries()) requirePart(part, at + 1);
  return parts;
}

function requirePart(part: unknown, number: number): void {
  const which = `Part ${number} of the content`;
  if (typeof part !== 'object' || part === null)
    throw new TurnMisuseError(`${which} is ${typeName(part)}: a part is an object such as { text: "…" }.`);
  const given: Readonly<Record<string, unknown>> = { ...part };
  const [name, ...others] = contents.filter((each) => given[each] !== undefined);
  if (name === undefined || others.length > 0) {
    const has = Object.keys(part).slice(0, MAX_NAMES).join(', ') || 'nothing';
    throw new TurnMisuseError(`${which} has ${has}: a part has exactly one of text, raw (base64), url and data.`);
  }
  if (name !== 'data' && typeof given[name] !== 'string')
    throw new TurnMisuseError(`${which} has ${typeName(given[name])} as its ${name}: it must be a string.`);
}

/** What a value is, in words: `a string`, `an object`, `null`. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const type = Array.isArray(value) ? 'array' : typeof value;
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
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
  return typeof content === 'object' && content !== null && 'parts' in content;
}

function isPartList(content: Part | readonly Part[]): content is readonly Part[] {
  return Array.isArray(content);
}
