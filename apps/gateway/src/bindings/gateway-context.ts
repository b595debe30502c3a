import type { Conversations } from '@switchyard/store';
import type { Gate } from '../admission/gate.ts';
import type { AgentDirectory } from '../agents/agent-directory.ts';
import type { AgentSearch } from '../agents/agent-search.ts';
import type { Cards } from '../agents/cards.ts';
import type { HeldRequests } from '../call/held-requests.ts';
import type { TaskStore } from '../operations/backend.ts';
import type { Operations } from '../operations/operations.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import type { Emit } from '../telemetry/events.ts';

/** What all bindings share. */
export interface GatewayContext {
  readonly operations: Operations;
  /** Those of A2A 1.1; undefined where it is not served. */
  readonly preview: Operations | undefined;
  readonly cards: Cards;
  readonly tasks: Pick<TaskStore, 'delete' | 'claimKey' | 'releaseKey'>;
  readonly conversations: Pick<Conversations, 'read' | 'list' | 'events'>;
  readonly conversationFeeds: Pick<Conversations, 'follow'>;
  readonly agents: AgentDirectory;
  readonly search: AgentSearch;
  /** Callers need no credentials. */
  readonly isOpen: boolean;
  readonly gate: Gate;
  readonly heldRequests: HeldRequests;
  readonly emit: Emit;
  readonly settings: GatewaySettings;
  /** Where gRPC listens; undefined when it does not. */
  readonly grpcPort: () => number | undefined;
  /** Where HTTP listens; undefined before it does. */
  readonly httpUrl: () => string | undefined;
  /** Of the console, for those who reach this port; undefined where there is none for them. */
  readonly consoleUrl: () => string | undefined;
}
