import {
  A2AError,
  type AgentCard,
  type AgentSkill,
  type FieldViolation,
  invalidParams,
  isReservedMetadata,
  type Metadata,
  mediaRangesMeet,
  type Part,
  type SendMessageRequest,
  skillUri,
} from '@switchyard/protocol';
import { type NamedSkill, namedSkill, skillHint } from '@switchyard/store';
import { requireOneOf } from '../admission/scopes.ts';
import type { Call } from '../call/call.ts';
import { isActive, requireExtensions } from '../call/extensions.ts';

/**
 * Refuses a message that its client may not send, or that the agent cannot process.
 * @throws {A2AError}
 */
export function checkMessage(call: Call, request: SendMessageRequest): void {
  requireClientRole(request);
  requireExtensions(call);
  requireMediaTypes(call, request);
  requireSkill(call, request);
}

/**
 * Clients speak only for themselves: not as the agent, and not as an agent that calls it.
 * @throws {A2AError} InvalidParams
 */
function requireClientRole({ message, metadata }: SendMessageRequest): void {
  const violations = [...reservedIn('metadata', metadata), ...reservedIn('message.metadata', message.metadata)];
  message.parts.forEach((part, i) => {
    if (part.metadata) violations.push(...reservedIn(`message.parts[${i}].metadata`, part.metadata));
  });
  if (message.role === 'ROLE_AGENT')
    violations.push({ field: 'message.role', description: 'must be ROLE_USER: only agents send ROLE_AGENT' });
  if (violations.length > 0) throw invalidParams(violations);
}

function reservedIn(path: string, metadata: Metadata | undefined): FieldViolation[] {
  if (!metadata) return [];
  const keys = Object.keys(metadata).filter(isReservedMetadata);
  return keys.map((key) => ({ field: `${path}.${key}`, description: 'must not be set by clients' }));
}

/**
 * A2A has no field for a skill in a request. So each skill that a client names where agents often look must be allowed.
 * If the card protects a skill, any name that is not exactly one of its skills is refused, because the agent might read
 * it more loosely.
 * @throws {A2AError} PermissionDenied, InvalidParams
 */
function requireSkill({ agent, admission }: Call, { message, metadata }: SendMessageRequest): void {
  if (message.metadata?.skillId === undefined && metadata?.skillId === undefined) return;
  const { skills } = agent.extendedCard ?? agent.card;
  if (!skills.some(({ securityRequirements = [] }) => securityRequirements.length > 0)) return;
  for (const [path, named] of [
    ['message.metadata', message.metadata?.skillId],
    ['metadata', metadata?.skillId],
  ] as const) {
    if (named === undefined) continue;
    const skill = skills.find(({ id }) => id === named);
    if (!skill) throw invalidParams([{ field: `${path}.skillId`, description: 'is not a skill of this agent' }]);
    requireOneOf(admission.identity, skill.securityRequirements);
  }
}

/**
 * The skill that a message names with the skill extension.
 * @throws {A2AError} PermissionDenied, InvalidParams
 */
export function skillOf(call: Call, { message }: SendMessageRequest): NamedSkill | undefined {
  const hint = skillHint(message);
  if (hint === undefined || !isActive(call, skillUri)) return undefined;
  const { agent, admission } = call;
  const named = namedSkill(agent, hint);
  if (!named) {
    const known = agent.card.skills.map(({ id }) => id).join(', ');
    const description = `must be the id of a skill of this agent; they are ${known}`;
    throw invalidParams([{ field: `message.metadata["${skillUri}"].skill`, description }]);
  }
  const { skills } = agent.extendedCard ?? agent.card;
  requireOneOf(admission.identity, skills.find(({ id }) => id === named.id)?.securityRequirements);
  return named;
}

/**
 * The agent must accept the media types of the message, and the client those of the agent (A2A 3.3.2). Skills may add
 * to the agent's types (4.4.5), and a request names no skill, so the types of all skills are allowed.
 * @throws {A2AError} ContentTypeNotSupported, naming every part
 */
function requireMediaTypes({ agent }: Call, request: SendMessageRequest): void {
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
    const description = `has a media type that the agent does not accept; it accepts ${taken.join(', ')}`;
    return [{ field: `message.parts[${i}].mediaType`, description }];
  });
}

/** The client could not read the agent's answer: refused before any work is done. */
function wrongModes(card: AgentCard, { configuration }: SendMessageRequest): FieldViolation[] {
  const made = modesOf(card, card.defaultOutputModes, ({ outputModes }) => outputModes);
  const accepted = configuration?.acceptedOutputModes ?? [];
  if (made.length === 0 || accepted.length === 0) return [];
  if (accepted.some((mode) => made.some((each) => mediaRangesMeet(mode, each)))) return [];
  const description = `has none of the output types of the agent; they are ${made.join(', ')}`;
  return [{ field: 'configuration.acceptedOutputModes', description }];
}

/** An agent without types accepts and returns any. */
function modesOf(
  { skills }: AgentCard,
  defaults: readonly string[],
  ofSkill: (skill: AgentSkill) => readonly string[] | undefined,
): readonly string[] {
  return [...new Set([...defaults, ...skills.flatMap((skill) => ofSkill(skill) ?? [])])];
}

/** A file without a media type may have any type: the agent decides. */
function mediaTypeOf({ mediaType, text, data }: Part): string | undefined {
  if (mediaType) return mediaType;
  if (text !== undefined) return 'text/plain';
  return data !== undefined ? 'application/json' : undefined;
}
