import type { AnnouncedAgent, Scope } from '@switchyard/store';
import type { Place } from '../cards/place.ts';
import type { SpokenVersion } from '../http/protocol-version.ts';

/** What an operation is told besides its request, whichever binding brought it. */
export interface Call {
  /** Who asks, and of which agent. */
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  /** Where the caller found the agent. */
  place(): Place;
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
  readonly resumeAfter?: number | undefined;
  /** In which the caller speaks; unset: A2A 1.0. */
  readonly version?: SpokenVersion | undefined;
  /** W3C trace context. */
  readonly traceParent?: string | undefined;
}
