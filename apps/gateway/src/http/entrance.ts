import { A2AError } from '@switchyard/protocol';
import type { AnnouncedAgent, Principal } from '@switchyard/store';
import type { AgentDirectory } from '../agent-directory.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { StreamSlots } from '../limits/stream-slots.ts';
import type { WaitingCalls } from '../limits/waiting-calls.ts';
import type { Observe } from '../observe/happening.ts';
import type { Operations } from '../operations/operations.ts';
import type { GatewaySettings } from '../settings.ts';
import { type Exchange, pathPart, queryText } from './exchange.ts';
import { HttpCall } from './http-call.ts';
import { requireSupportedVersion } from './protocol-version.ts';

/** What every binding shares. */
export interface Entrance {
  readonly operations: Operations;
  readonly agents: AgentDirectory;
  readonly authenticator: Authenticator;
  readonly waiting: WaitingCalls;
  readonly streams: StreamSlots;
  readonly observe: Observe;
  readonly settings: GatewaySettings;
  /** Where gRPC listens; undefined when it does not. */
  readonly grpcPort: () => number | undefined;
}

/** From the request to the call: the version that it is in, and the agent that its path names. @throws {A2AError} */
export function openCall({ agents, waiting }: Entrance, exchange: Exchange, principal: Principal): HttpCall {
  const { req } = exchange;
  const header = req.headers['a2a-version'];
  requireSupportedVersion(typeof header === 'string' ? header : queryText(req, 'A2A-Version'));
  return new HttpCall({ principal, agent: requireAgent(agents, pathPart(req, 'agentId')) }, exchange, waiting);
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
