import { A2AError } from '@switchyard/protocol';
import type { AnnouncedAgent, Principal } from '@switchyard/store';
import type { AgentDirectory } from './agent-directory.ts';

/** Whom a request is for, as far as it says. */
export interface Destination {
  /** The agent that its path names, as in `/agents/<id>`; unset: the one at the root. */
  readonly agentId?: string | undefined;
  /** `tenant` of the request (A2A 4.4.6), unchecked: what is no string is for the check of the request to refuse. */
  readonly tenant?: unknown;
}

/**
 * A tenant is an agent's id, or the caller's own tenant, which says nothing new. Any other does not exist for this
 * caller, whether it exists for somebody else or not (A2A 3.3.2).
 * @throws {A2AError} NotFound; Unavailable while no worker has announced the agent at the root
 */
export function selectAgent(
  agents: AgentDirectory,
  principal: Principal,
  { agentId, tenant }: Destination,
): AnnouncedAgent {
  if (typeof tenant !== 'string' || tenant === '') return requireAgent(agents, agentId);
  const named = agents.find(tenant);
  if (named && (agentId === undefined || agentId === tenant)) return named;
  if (tenant === principal.tenant) return requireAgent(agents, agentId);
  throw new A2AError('NotFound', 'There is no such tenant', {
    violations: [{ field: 'tenant', description: 'is neither an agent here nor the tenant of the caller' }],
  });
}

/**
 * @param id unset: the agent at the root
 * @throws {A2AError} NotFound; Unavailable while no worker has announced the agent at the root
 */
export function requireAgent(agents: AgentDirectory, id: string | undefined): AnnouncedAgent {
  const agent = id === undefined ? agents.default : agents.find(id);
  if (agent) return agent;
  if (id === undefined)
    throw new A2AError('Unavailable', 'No worker has announced the agent that is served here yet', {
      retryAfterSeconds: 5,
    });
  throw new A2AError('NotFound', 'There is no such agent', { metadata: { agent: id.slice(0, 64) } });
}
