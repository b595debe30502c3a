import type { AgentCapabilities, AgentSkill } from '@switchyard/protocol';
import { A2AError, type AgentCard } from '@switchyard/protocol';
import { parseAgentCard } from '@switchyard/protocol/parse-agent-card';
import { checkAll, checkNames } from '../checks/checks.ts';

/**
 * The author's part of a card (A2A 4.4.1). The gateway adds URLs, interfaces, security and signatures. It is an
 * interface so that errors of the compiler name it.
 */
export interface AgentCardDraft
  extends Pick<AgentCard, 'name' | 'description' | 'version' | 'skills'>,
    Partial<Pick<AgentCard, Optional>> {}

/** A card that is complete already may be the draft of another one. */
const names = {
  name: true,
  description: true,
  version: true,
  skills: true,
  provider: true,
  documentationUrl: true,
  iconUrl: true,
  capabilities: true,
  defaultInputModes: true,
  defaultOutputModes: true,
  supportedInterfaces: true,
  securitySchemes: true,
  securityRequirements: true,
  signatures: true,
} satisfies Record<keyof AgentCard, true>;

type Optional =
  | 'provider'
  | 'documentationUrl'
  | 'iconUrl'
  | 'capabilities'
  | 'defaultInputModes'
  | 'defaultOutputModes';

/**
 * The card that workers announce: the draft with its defaults, text in and out, and streaming.
 * @throws {TypeError} naming every wrong or unknown field
 */
export function completeCard(draft: AgentCardDraft, name = 'card'): AgentCard {
  const card = {
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    ...draft,
    capabilities: { streaming: true, ...draft.capabilities },
    supportedInterfaces: [],
  };
  return checkAll({
    names: () => checkNames(`${name}.`, draft, names),
    card: () => parsed(card, name),
  }).card;
}

function parsed(card: unknown, name: string): AgentCard {
  try {
    return parseAgentCard(card, name);
  } catch (error) {
    throw new TypeError(describe(A2AError.from(error)), { cause: error });
  }
}

function describe({ message, violations }: A2AError): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join('; ') || message;
}

/** A card in which nothing is wrong. */
export const rightCard: AgentCardDraft = {
  name: 'name',
  description: 'description',
  version: '1',
  skills: [{ id: 'skill', name: 'name', description: 'description', tags: ['tag'] }],
};

/** The fields that the card for authenticated clients adds or replaces. */
export type ExtendedCardDraft = Partial<AgentCardDraft>;

/** Skills with the same id and extensions with the same URI replace the public ones. */
export function extendCard(card: AgentCardDraft, extended: ExtendedCardDraft): AgentCardDraft {
  return {
    ...card,
    ...extended,
    skills: joined(card.skills, extended.skills, ({ id }: AgentSkill) => id),
    capabilities: joinedCapabilities(card.capabilities, extended.capabilities),
  };
}

function joinedCapabilities(first: AgentCapabilities = {}, second: AgentCapabilities = {}): AgentCapabilities {
  const extensions = joined(first.extensions, second.extensions, ({ uri }) => uri);
  return { ...first, ...second, ...(extensions.length > 0 && { extensions }) };
}

function joined<Entry>(first: Entry[] = [], second: Entry[] = [], nameOf: (entry: Entry) => unknown): Entry[] {
  return [...new Map([...first, ...second].map((entry) => [nameOf(entry), entry])).values()];
}
