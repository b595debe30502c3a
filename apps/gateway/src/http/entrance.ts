import type { Principal } from '@switchyard/store';
import type { AgentDirectory } from '../agent-directory.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Cards } from '../cards/cards.ts';
import { type Place, placeAt } from '../cards/place.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { StreamSlots } from '../limits/stream-slots.ts';
import type { WaitingCalls } from '../limits/waiting-calls.ts';
import type { Observe } from '../observe/happening.ts';
import type { TaskStore } from '../operations/backend.ts';
import { activeExtensions } from '../operations/extensions.ts';
import type { Operations } from '../operations/operations.ts';
import type { GatewaySettings } from '../settings.ts';
import { selectAgent } from '../tenants/select-agent.ts';
import { baseUrl } from './base-url.ts';
import { askedVersion, type Exchange, pathPart } from './exchange.ts';
import { HttpCall } from './http-call.ts';
import { requireSupportedVersion, type SpokenVersion } from './protocol-version.ts';

/** What every binding shares. */
export interface Entrance {
  readonly operations: Operations;
  readonly cards: Cards;
  readonly tasks: Pick<TaskStore, 'delete'>;
  readonly conversations: ConversationStore;
  readonly agents: AgentDirectory;
  readonly authenticator: Authenticator;
  readonly waiting: WaitingCalls;
  readonly streams: StreamSlots;
  readonly observe: Observe;
  readonly settings: GatewaySettings;
  /** Where gRPC listens; undefined when it does not. */
  readonly grpcPort: () => number | undefined;
  /** Where HTTP listens; undefined before it does. */
  readonly httpUrl: () => string | undefined;
}

/** Who sends a request, and what it says of whom it is for. */
export interface Visitor {
  readonly principal: Principal;
  /** `tenant` among the parameters, unchecked. */
  readonly tenant?: unknown;
  /** What the method or path that is asked for belongs to; unset: A2A 1.0. */
  readonly version?: SpokenVersion;
}

/**
 * From the request to the call: the version that it is in, and the agent that its path or its tenant names. The response
 * says from its first byte which extensions are active.
 * @throws {A2AError}
 */
export function openCall({ agents, settings, waiting }: Entrance, exchange: Exchange, visitor: Visitor): HttpCall {
  const { req } = exchange;
  const { principal, tenant, version } = visitor;
  requireSupportedVersion(askedVersion(req), { spoken: version, missing: settings.missingVersion });
  const agentId = pathPart(req, 'agentId');
  const agent = selectAgent(agents, principal, { agentId, tenant });
  const place = (): Place => placeAt(baseUrl(req, settings), agentId, { named: tenant, selected: agent.id });
  const call = new HttpCall({ principal, agent, place, version }, exchange, waiting);
  const active = activeExtensions(call);
  if (active.length > 0) exchange.res.setHeader('A2A-Extensions', active.join(','));
  return call;
}
