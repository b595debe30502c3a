import type { TaskState } from '@switchyard/protocol';
import type { TurnInterruption } from './turn-interruption.ts';
import type { PendingWait } from './wait-port.ts';

/**
 * The result of `turn.complete(…)` and the other outcomes, once it is durable. `execute` must return one, so a
 * forgotten outcome does not compile.
 */
export interface Outcome {
  readonly state: TaskState;
}

/** The result of a turn, for the worker. Errors are for its log and never for the client. */
export type TurnResult =
  /** The outcome is durable. `error`: another error of the turn. */
  | { readonly kind: 'settled'; readonly state: TaskState; readonly error?: unknown }
  /** The agent asked for an authorization and returned: end the turn. `delivered`: as in a `StatusEvent`. */
  | { readonly kind: 'waiting-for-auth'; readonly delivered?: readonly string[] }
  /** There is no outcome: retry the turn after `afterMs`, or after the agent's backoff. The attempt counts. */
  | { readonly kind: 'retry'; readonly afterMs: number | undefined; readonly error: unknown }
  /** The task has failed, with a neutral text for the client. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The turn does nothing but wait: it runs again when the first of these waits ends. The attempt does not count. */
  | { readonly kind: 'suspended'; readonly waits: readonly PendingWait[] }
  /** Interrupted before there was an outcome. */
  | { readonly kind: 'interrupted'; readonly reason: TurnInterruption };
