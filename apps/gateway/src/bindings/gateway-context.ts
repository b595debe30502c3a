import type { FileStore } from '@switchyard/files';
import type { Principal } from '@switchyard/protocol';
import type { Gate } from '../admission/gate.ts';
import type { AgentDirectory } from '../agents/agent-directory.ts';
import type { AgentSearch } from '../agents/agent-search.ts';
import type { Cards } from '../agents/cards.ts';
import type { HeldRequests } from '../call/held-requests.ts';
import type { DeploymentParts } from '../deployments/deployment.ts';
import type { Operations } from '../operations/operations.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import type { Emit } from '../telemetry/events.ts';

/** What all bindings use. */
export interface GatewayContext {
  readonly operations: Operations;
  /** The operations of A2A 1.1; undefined if it is not served. */
  readonly preview: Operations | undefined;
  readonly cards: Cards;
  /** Unset: the deployment stores no files. */
  readonly files: FileStore | undefined;
  /**
   * The deployment where a task, conversation or schedule with this id is, or would be.
   * @throws {A2AError} Unavailable: it is away
   */
  readonly partsOf: (id: string, principal?: Principal) => DeploymentParts;
  /** Those that may have anything of a principal. @throws {A2AError} Unavailable: one of them is away */
  readonly allPartsOf: (principal: Principal, contextId?: string) => readonly [DeploymentParts, ...DeploymentParts[]];
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
