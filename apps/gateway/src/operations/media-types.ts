import {
  A2AError,
  type AgentCard,
  type AgentSkill,
  type FieldViolation,
  mediaRangesMeet,
  type Part,
  type SendMessageRequest,
} from '@switchyard/protocol';
import type { Call } from '../call/call.ts';

/**
 * What comes in has to be of a type that the agent takes, and what it makes of a type that the client takes
 * (A2A 3.3.2). Skills may add to the agent's types (4.4.5), and a request names no skill: those of every skill count.
 * @throws {A2AError} ContentTypeNotSupported, naming every part
 */
export function requireMediaTypes({ agent }: Call, request: SendMessageRequest): void {
  const card = agent.extendedCard ?? agent.card;
  const violations = [...wrongParts(card, request), ...wrongModes(card, request)];
  if (violations.length === 0) return;
  throw new A2AError('ContentTypeNotSupported', 'The agent does not support these media types', { violations });
}

function wrongParts(card: AgentCard, { message }: SendMessageRequest): FieldViolation[] {
  const taken = modesOf(card, card.defaultInputModes, ({ inputModes }) => inputModes);
  if (taken.length === 0) return [];
  return message.parts.flatMap((part, i) => {
    const type = mediaTypeOf(part);
    if (type === undefined || taken.some((mode) => mediaRangesMeet(mode, type))) return [];
    const description = `is of a type that the agent does not take; it takes ${taken.join(', ')}`;
    return [{ field: `message.parts[${i}].mediaType`, description }];
  });
}

/** The client could not use the agent's answer: it is refused before the work, not after it. */
function wrongModes(card: AgentCard, { configuration }: SendMessageRequest): FieldViolation[] {
  const made = modesOf(card, card.defaultOutputModes, ({ outputModes }) => outputModes);
  const accepted = configuration?.acceptedOutputModes ?? [];
  if (made.length === 0 || accepted.length === 0) return [];
  if (accepted.some((mode) => made.some((each) => mediaRangesMeet(mode, each)))) return [];
  const description = `has none of the types that the agent answers with; they are ${made.join(', ')}`;
  return [{ field: 'configuration.acceptedOutputModes', description }];
}

/** An agent that names no types takes and makes any. */
function modesOf(
  { skills }: AgentCard,
  defaults: readonly string[],
  ofSkill: (skill: AgentSkill) => readonly string[] | undefined,
): readonly string[] {
  return [...new Set([...defaults, ...skills.flatMap((skill) => ofSkill(skill) ?? [])])];
}

/** Files that do not say what they are may be anything: the agent has to see for itself. */
function mediaTypeOf({ mediaType, text, data }: Part): string | undefined {
  if (mediaType) return mediaType;
  if (text !== undefined) return 'text/plain';
  return data !== undefined ? 'application/json' : undefined;
}
