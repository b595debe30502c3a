import type { Message, Metadata, Task } from '@switchyard/protocol';

/**
 * A message to another agent, ready to be sent. Its messageId is the same in every attempt: what is sent again is not
 * done again.
 */
export interface OutgoingCall {
  /** Its id, or the URL of its card. */
  readonly agent: string;
  /** With its contextId, and the taskId of the task that it continues. */
  readonly message: Message;
  /** The task may outlive its caller's completion. */
  readonly isDetached: boolean;
  readonly acceptedOutputModes?: readonly string[];
  readonly extensions?: readonly string[];
  /** Of the request. */
  readonly metadata?: Metadata;
}

/** A call that was accepted: its task exists, is recorded with its caller's, and will be canceled with it. */
export interface PlacedCall {
  readonly agent: string;
  readonly taskId: string;
  /** Of the message in its task; unset: whichever comes next. */
  readonly number?: number;
  /** The last event that is older than the message. */
  readonly after?: number;
  /** Wait through an authorization that is asked for. */
  readonly skipsAuth?: boolean;
}

/**
 * - `unknown-agent`: no worker has announced it. `too-deep`: agents call each other in a long chain, most likely in
 *   circles.
 * - `too-many`: the task has too many calls that have not ended. `busy`: too many messages wait in the task.
 * - `missing`: there is no task to continue. `ended`: it takes no further messages. `other-context`: it belongs to
 *   another context.
 */
export type CallRefusal = 'unknown-agent' | 'too-deep' | 'too-many' | 'busy' | 'missing' | 'ended' | 'other-context';

export type Placing = PlacedCall | { readonly refused: CallRefusal };

/** How the task of a call stands. */
export interface CallOutcome {
  /** Without its history. */
  readonly task: Task;
  /** The agent answered with a plain Message. */
  readonly reply?: Message;
}

/** Other agents, as a turn reaches them. */
export interface CallPort {
  /** Calls may be nested so deep: refused beyond. */
  readonly maxDepth: number;
  /** @throws {TurnEnded} a turn that has lost its task calls nobody */
  place(call: OutgoingCall): Promise<Placing>;
  /**
   * Waits until the task has ended or asks for something.
   * @returns undefined: the signal aborted. `missing`: there is no such task, or no longer
   */
  outcome(call: PlacedCall, signal: AbortSignal): Promise<CallOutcome | 'missing' | undefined>;
  /** The task as it is. */
  read(call: PlacedCall): Promise<CallOutcome | 'missing'>;
  cancel(call: PlacedCall): Promise<void>;
}
