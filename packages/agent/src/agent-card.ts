import { A2AError, type AgentCard, agentCardSchema, parse } from '@switchyard/protocol';

/** What an author says of an agent (A2A 4.4.1). URLs, interfaces, security and signatures are the gateway's. */
export type AgentCardDraft = Pick<AgentCard, 'name' | 'description' | 'version' | 'skills'> &
  Partial<Pick<AgentCard, Optional>>;

type Optional =
  | 'provider'
  | 'documentationUrl'
  | 'iconUrl'
  | 'capabilities'
  | 'defaultInputModes'
  | 'defaultOutputModes';

/**
 * The card that workers announce: the draft, text in and out unless it says otherwise, and streaming, which every agent can.
 * @throws {TypeError} naming every wrong field
 */
export function completeCard(draft: AgentCardDraft, name = 'card'): AgentCard {
  const card = {
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    ...draft,
    capabilities: { streaming: true, ...draft.capabilities },
    supportedInterfaces: [],
  };
  try {
    return parse(agentCardSchema, card, name);
  } catch (error) {
    throw new TypeError(describe(A2AError.from(error)), { cause: error });
  }
}

function describe({ message, violations }: A2AError): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join('; ') || message;
}
