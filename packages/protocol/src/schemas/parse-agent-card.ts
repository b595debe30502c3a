import type { AgentCard } from '../objects/agent-card.ts';
import { agentCardSchema } from './agent-card.ts';
import { parse } from './parse.ts';

/**
 * Untrusted JSON as an agent card. An entry of its own: its build holds what it needs of zod, so that the author of an
 * agent installs no zod.
 * @param name what the card is called in violations
 * @throws {A2AError} InvalidParams, which names every wrong field
 */
export function parseAgentCard(value: unknown, name = ''): AgentCard {
  return parse(agentCardSchema, value, name);
}
