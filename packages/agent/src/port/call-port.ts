import type { Message, Metadata, Task } from '@switchyard/protocol';

/** A message to another agent. Its messageId is the same in every attempt, so it takes effect once. */
export interface OutgoingCall {
  /** Id of the called agent, or the URL of its card. */
  readonly agent: string;
  /** With its contextId, and the taskId of the task that it continues. */
  readonly message: Message;
  /** The called task may go on when the caller's completes. */
  readonly isDetached: boolean;
  readonly acceptedOutputModes?: readonly string[];
  readonly extensions?: readonly string[];
  /** Metadata of the request. */
  readonly metadata?: Metadata;
}

/** An accepted call: its task exists, is recorded with the caller's, and is canceled with it. */
export interface PlacedCall {
  readonly agent: string;
  readonly taskId: string;
  /** Number of the message in its task; unset: any later one. */
  readonly number?: number;
  /** Id of the last event before the message, as in the store. */
  readonly after?: { readonly seq: number; readonly incarnation?: number | undefined };
  /** The caller goes on waiting while the task waits for an authorization. */
  readonly skipsAuth?: boolean;
}

/**
 * - `unknown-agent`: no worker has announced it. `too-deep`: the chain of calls is too long, most likely a circle.
 * - `too-many`: the task has too many open calls. `busy`: too many messages wait in the task.
 * - `missing`: there is no task to continue. `ended`: it takes no more messages. `other-context`: it belongs to another
 *   context.
 */
export type CallRefusal = 'unknown-agent' | 'too-deep' | 'too-many' | 'busy' | 'missing' | 'ended' | 'other-context';

/** The result of placing a call: its task, or why there is none. */
export type CallPlacement = PlacedCall | { readonly refused: CallRefusal };

/** The current state of a call's task. */
export interface CallOutcome {
  /** Without its history. */
  readonly task: Task;
  /** The agent answered with a plain Message. */
  readonly reply?: Message;
}

/** How a turn calls other agents. */
export interface CallPort {
  /** Deepest nesting of calls. */
  readonly maxDepth: number;
  /** How long a turn waits for a call before it is suspended; unset: it is not. */
  readonly patienceMs?: number;
  /** @throws {TurnEnded} the turn has lost its task */
  place(call: OutgoingCall): Promise<CallPlacement>;
  /**
   * Waits until the task has ended or asks for input or an authorization.
   * @returns undefined: the signal aborted. `missing`: there is no such task
   */
  outcome(call: PlacedCall, signal: AbortSignal): Promise<CallOutcome | 'missing' | undefined>;
  /** The current task. */
  read(call: PlacedCall): Promise<CallOutcome | 'missing'>;
  cancel(call: PlacedCall): Promise<void>;
  /** Keeps for operators why a call of this agent failed. Never rejects. */
  noteFailure(agent: string, error: unknown): Promise<void>;
}
