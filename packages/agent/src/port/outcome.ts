import type { TaskState } from '@switchyard/protocol';
import type { TurnInterruption } from './turn-interruption.ts';

/**
 * What `turn.complete(…)` and its siblings resolve to, once it is durable. `execute` must return one:
 * a turn that forgets its outcome does not compile.
 */
export interface Outcome {
  readonly state: TaskState;
}

/** What became of a turn, for the worker to act upon. Errors are for its log and never for the client. */
export type TurnResult =
  /** The outcome is durable. `error`: what went wrong beside it. */
  | { readonly kind: 'settled'; readonly state: TaskState; readonly error?: unknown }
  /** The agent has asked for an authorization and returned. The turn is to be ended. */
  | { readonly kind: 'waiting-for-auth' }
  /**
   * Nothing is settled. The turn is to be given back with its attempt spent, to run after `afterMs`, or after the
   * agent's backoff.
   */
  | { readonly kind: 'retry'; readonly afterMs: number | undefined; readonly error: unknown }
  /** The task has been ended as FAILED, with a text that leaks nothing. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Stopped from outside before there was an outcome. `reason` says by whom. */
  | { readonly kind: 'interrupted'; readonly reason: TurnInterruption };
