import type { FileStore } from '@switchyard/files';
import type { Conversations, RequestStore, ScheduleList } from '@switchyard/store';
import type { Gate } from '../admission/gate.ts';
import type { AgentDirectory } from '../agents/agent-directory.ts';
import type { AgentSearch } from '../agents/agent-search.ts';
import type { Cards } from '../agents/cards.ts';
import type { HeldRequests } from '../call/held-requests.ts';
import type { TaskStore } from '../operations/backend.ts';
import type { Operations } from '../operations/operations.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import type { Emit } from '../telemetry/events.ts';

/** What all bindings use. */
export interface GatewayContext {
  readonly operations: Operations;
  /** The operations of A2A 1.1; undefined if it is not served. */
  readonly preview: Operations | undefined;
  readonly cards: Cards;
  readonly tasks: Pick<TaskStore, 'delete' | 'claimKey' | 'dropKey'>;
  /** Unset: the deployment stores no files. */
  readonly files: FileStore | undefined;
  readonly waits: RequestStore['waits'];
  readonly conversations: Pick<Conversations, 'read' | 'list' | 'events'>;
  readonly schedules: Pick<ScheduleList, 'list' | 'read' | 'change'>;
  readonly conversationFeeds: Pick<Conversations, 'follow'>;
  readonly agents: AgentDirectory;
  readonly search: AgentSearch;
  /** Callers need no credentials. */
  readonly isAnonymous: boolean;
  readonly gate: Gate;
  readonly heldRequests: HeldRequests;
  readonly emit: Emit;
  readonly settings: GatewaySettings;
  /** Port of gRPC; undefined if it does not listen. */
  readonly grpcPort: () => number | undefined;
  /** URL of HTTP; undefined before it listens. */
  readonly httpUrl: () => string | undefined;
  /** URL of the console for clients of this port; undefined if there is none for them. */
  readonly consoleUrl: () => string | undefined;
}
