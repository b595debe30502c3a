import type { AgentCapabilities, AgentSkill } from '@switchyard/protocol';
import type { AgentCardDraft } from './agent-card.ts';

/** What the card for authenticated clients says besides, or instead. */
export type ExtendedCardDraft = Partial<AgentCardDraft>;

/** Skills of the same id and extensions of the same URI take the place of the public ones. */
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
