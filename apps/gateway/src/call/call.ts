import type { TraceContext } from '@switchyard/protocol';
import type { AnnouncedAgent, EventId, Scope } from '@switchyard/store';
import type { Admission } from '../admission/admission.ts';
import type { SpokenVersion } from '../exchange/service-parameters.ts';

/** What an operation gets besides its request, in any binding. */
export interface Call {
  readonly admission: Admission;
  /** The principal and the agent. */
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  /** The endpoint that the caller used. */
  endpoint(): AgentEndpoint;
  /** URIs of the requested extensions (A2A 3.2.6). */
  readonly extensions: readonly string[];
  /** Those of them that the agent or the gateway offers. */
  readonly activeExtensions: readonly string[];
  /**
   * Aborted with an `EndOfWait` when the client disconnects or the gateway stops. Reading it starts the watch, so only
   * calls that wait should read it, before they change anything.
   * @throws {A2AError} RateLimited, Unavailable: too many requests are held
   */
  readonly signal: AbortSignal;
  /** The task version that the caller has. */
  readonly knownVersion?: string | undefined;
  /** How long the caller waits for the task to change; 0: not at all. */
  readonly waitMs: number;
  /** The last event of a broken stream that the caller has. */
  readonly resumeAfter?: EventId | undefined;
  /** Version of the request; unset: A2A 1.0. */
  readonly version?: SpokenVersion | undefined;
  /** The caller cannot read URLs of files: see `wantsRaw`. */
  readonly readsNoUrls?: boolean;
  /** Identifies a retry. @throws {A2AError} InvalidParams, when it is read */
  readonly idempotencyKey?: string | undefined;
  /** W3C trace context. */
  readonly traceContext?: TraceContext | undefined;
}

/** The endpoint that a caller used: the card has URLs of this base. */
export interface AgentEndpoint {
  /** Base URL of the gateway, without a slash at the end. */
  readonly base: string;
  /** Unset: the default agent. */
  readonly agentId: string | undefined;
}

/**
 * @param agentId in the path
 * @param tenant of a request: `named` as sent, `selected` the agent to which it led
 */
export function endpointAt(
  base: string,
  agentId: string | undefined,
  tenant: { named: unknown; selected: string },
): AgentEndpoint {
  return { base, agentId: agentId ?? (tenant.named === tenant.selected ? tenant.selected : undefined) };
}

/** The caller of a request, and the endpoint. */
export interface CallerContext {
  readonly admission: Admission;
  readonly agent: AnnouncedAgent;
  /** The endpoint that the caller used. */
  readonly endpoint: () => AgentEndpoint;
  /** The version of the request. */
  readonly version: SpokenVersion | undefined;
  /** The gateway stores files. */
  readonly hasFiles: boolean;
  /** From the parameters, not validated: the last event of a broken stream that the caller has. */
  readonly lastEventId?: unknown;
}
