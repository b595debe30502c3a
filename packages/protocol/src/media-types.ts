import { type FieldViolation, wrongFields } from './errors/a2a-error.ts';
import type { AgentCard } from './objects/agent-card.ts';
import type { Part } from './objects/task.ts';
import type { SendMessageRequest } from './requests.ts';

/** Output types of a client that an error repeats. */
const MOST_MODES = 5;
/** Longest text of a client that an error repeats. */
const LONGEST_QUOTE = 100;

/**
 * The agent must accept the media types of the message, and the client those of the agent (A2A 3.3.2). Skills may add
 * to the agent's types (4.4.5), and a request names no skill, so the types of all skills are allowed.
 * @throws {A2AError} ContentTypeNotSupported, naming every part
 */
export function requireMediaTypes(card: AgentCard, request: SendMessageRequest): void {
  const violations = [...wrongParts(card, request), ...wrongModes(card, request)];
  if (violations.length === 0) return;
  throw wrongFields('ContentTypeNotSupported', 'The agent does not support these media types', violations);
}

/** Media types that an agent accepts; none: any. */
export function acceptedTypes({
  defaultInputModes,
  skills,
}: {
  readonly defaultInputModes: readonly string[];
  readonly skills: readonly { readonly inputModes?: readonly string[] | undefined }[];
}): readonly string[] {
  return modesOf(skills, defaultInputModes, ({ inputModes }) => inputModes);
}

function wrongParts(card: AgentCard, { message }: SendMessageRequest): FieldViolation[] {
  const accepted = acceptedTypes(card);
  if (accepted.length === 0) return [];
  const ranges = accepted.map(essence);
  return message.parts.flatMap((part, i) => {
    const type = mediaTypeOf(part);
    if (type === undefined || meetsAny(essence(type), ranges)) return [];
    const [given, file] = [quoted(type), part.filename === undefined ? '' : `, of ${quoted(part.filename)},`];
    const description = `is ${given}${file} which the agent does not accept; it accepts ${accepted.join(', ')}`;
    return [{ field: `message.parts[${i}].mediaType`, description }];
  });
}

/** The client could not read the agent's answer: refused before any work is done. */
function wrongModes(card: AgentCard, { configuration }: SendMessageRequest): FieldViolation[] {
  const accepted = configuration?.acceptedOutputModes ?? [];
  if (accepted.length === 0) return [];
  const produced = modesOf(card.skills, card.defaultOutputModes, ({ outputModes }) => outputModes);
  if (produced.length === 0) return [];
  const ranges = produced.map(essence);
  if (accepted.some((mode) => meetsAny(essence(mode), ranges))) return [];
  const given = accepted.slice(0, MOST_MODES).map(quoted).join(', ');
  const description = `is ${given}: none of the output types of the agent; they are ${produced.join(', ')}`;
  return [{ field: 'configuration.acceptedOutputModes', description }];
}

/** An agent without types accepts and returns any. */
function modesOf<Skill>(
  skills: readonly Skill[],
  defaults: readonly string[],
  ofSkill: (skill: Skill) => readonly string[] | undefined,
): readonly string[] {
  // Usual, and cheaper than a set.
  if (!skills.some(ofSkill)) return defaults;
  return [...new Set([...defaults, ...skills.flatMap((skill) => ofSkill(skill) ?? [])])];
}

/** A file without a media type may have any type: the agent decides. */
function mediaTypeOf({ mediaType, text, data }: Part): string | undefined {
  if (mediaType) return mediaType;
  if (text !== undefined) return 'text/plain';
  return data !== undefined ? 'application/json' : undefined;
}

const quoted = (given: string): string => JSON.stringify(given.slice(0, LONGEST_QUOTE));

/**
 * Whether two media types overlap. Either may be a range such as `text/*` or `text` (RFC 9110 12.5.1). Parameters are
 * ignored.
 */
export function mediaRangesMeet(one: string, other: string): boolean {
  return meetsAny(essence(one), [essence(other)]);
}

/** @param type as `essence` makes it, as are the others: a client's may be long, and is read once */
function meetsAny(type: string, others: readonly string[]): boolean {
  return others.some((other) => covers(type, other) || covers(other, type));
}

function covers(range: string, type: string): boolean {
  return (
    range === '*/*' || range === '*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
  );
}

/** A type without a subtype is a range: many cards have `text` for `text/*`. */
function essence(mediaType: string): string {
  const end = mediaType.indexOf(';');
  const type = (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
  return type === '' || type === '*' || type.includes('/') ? type : `${type}/*`;
}
