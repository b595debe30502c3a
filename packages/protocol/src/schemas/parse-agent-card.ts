import type { AgentCard } from '../objects/agent-card.ts';
import { agentCardSchema } from './agent-card.ts';
import { parse } from './parse.ts';

/**
 * Parses untrusted JSON as an agent card. It is an entry point of its own, whose build bundles what it needs of zod, so
 * that authors of agents need not install zod.
 * @param name of the card in violations
 * @throws {A2AError} InvalidParams, which names every wrong field
 */
export function parseAgentCard(value: unknown, name = ''): AgentCard {
  return parse(agentCardSchema, value, name);
}
