import type { Principal } from '@switchyard/store';
import type { AgentDirectory } from '../agent-directory.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { StreamSlots } from '../limits/stream-slots.ts';
import type { WaitingCalls } from '../limits/waiting-calls.ts';
import type { Observe } from '../observe/happening.ts';
import { activeExtensions } from '../operations/extensions.ts';
import type { Operations } from '../operations/operations.ts';
import type { GatewaySettings } from '../settings.ts';
import { selectAgent } from '../tenants/select-agent.ts';
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

/** Who sends a request, and what it says of whom it is for. */
export interface Visitor {
  readonly principal: Principal;
  /** `tenant` among the parameters, unchecked. */
  readonly tenant?: unknown;
}

/**
 * From the request to the call: the version that it is in, and the agent that its path or its tenant names. The response
 * says from its first byte which extensions are active.
 * @throws {A2AError}
 */
export function openCall({ agents, waiting }: Entrance, exchange: Exchange, { principal, tenant }: Visitor): HttpCall {
  const { req } = exchange;
  const header = req.headers['a2a-version'];
  requireSupportedVersion(typeof header === 'string' ? header : queryText(req, 'A2A-Version'));
  const agent = selectAgent(agents, principal, { agentId: pathPart(req, 'agentId'), tenant });
  const call = new HttpCall({ principal, agent }, exchange, waiting);
  const active = activeExtensions(call);
  if (active.length > 0) exchange.res.setHeader('A2A-Extensions', active.join(','));
  return call;
}
