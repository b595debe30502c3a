import type { AnnouncedAgent, EventId, Scope } from '@switchyard/store';
import type { SpokenVersion } from './service-parameters.ts';

/** What an operation gets besides its request, from any binding. */
export interface Call {
  /** Who asks, and of which agent. */
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  /** Where the caller found the agent. */
  endpoint(): AgentEndpoint;
  /** URIs of the extensions that the caller asks for (A2A 3.2.6). */
  readonly extensions: readonly string[];
  /**
   * Aborted with an `Interruption` when nobody waits for the answer any more.
   * Asking for it starts the watch, so only calls that wait should ask.
   */
  readonly signal: AbortSignal;
  /** The version of the task that the caller has. */
  readonly knownVersion?: string | undefined;
  /** How long the caller would wait for the task to change; 0: not at all. */
  readonly waitMs: number;
  /** The last event that the caller has seen of a stream that was cut. */
  readonly resumeAfter?: EventId | undefined;
  /** In which the caller speaks; unset: A2A 1.0. */
  readonly version?: SpokenVersion | undefined;
  /** W3C trace context. */
  readonly traceParent?: string | undefined;
}

/** Where a caller found an agent: what its card says of where it is reached depends on it. */
export interface AgentEndpoint {
  /** Base URL of the gateway, without a slash at its end. */
  readonly base: string;
  /** Unset: at the root. */
  readonly agentId: string | undefined;
}

/** @param named by the path or by the tenant of a request */
export function endpointAt(
  base: string,
  agentId: string | undefined,
  tenant: { named: unknown; selected: string },
): AgentEndpoint {
  return { base, agentId: agentId ?? (tenant.named === tenant.selected ? tenant.selected : undefined) };
}
