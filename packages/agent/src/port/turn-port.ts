import type { Artifact, Message, Metadata, Task, TaskState } from '@switchyard/protocol';
import type { Caller, CallPort } from './call-port.ts';
import type { ContextPort } from './context-port.ts';
import type { ConversationPort } from './conversation-port.ts';
import type { StepPort, StepStamp } from './step-port.ts';

/** Who asked for the turn. */
export interface Principal {
  readonly tenant: string;
  readonly subject: string;
  readonly scopes: readonly string[];
}

/** What a turn stands on. The worker implements it over the store; `@switchyard/agent/testing` in memory. */
export interface TurnPort {
  /** The task before this turn; its history includes the message of this turn, and messages that wait behind it. */
  readonly task: Task;
  readonly message: Message;
  /** Id of the agent whose turn it is. */
  readonly agent: string;
  readonly principal: Principal;
  /** 1, 2, … */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  /** Media types that the client accepts (A2A 3.2.2); empty: any. */
  readonly acceptedOutputModes: readonly string[];
  /** URIs of the extensions that the client asked for (A2A 3.2.6). */
  readonly extensions: readonly string[];
  readonly metadata: Metadata;
  /** The agent that called, if the message comes from one. */
  readonly caller: Caller | undefined;
  /** Aborted with a `TurnInterruption` as its reason. */
  readonly signal: AbortSignal;
  readonly steps: StepPort;
  readonly calls: CallPort;
  readonly context: ContextPort;
  readonly conversations: ConversationPort;
  /**
   * Events keep the order of the calls; the port adds timestamps, taskId and contextId. Resolves when the event is
   * durable; a chunk of an artifact, or a status that says no more than that the work goes on, may be written with what
   * follows. Any other error counts as a fault of the machinery: the turn is run again.
   * @throws {TurnEnded} once the turn no longer owns the task
   * @throws {TurnMisuseError} for an event that cannot be taken for what it is, such as one artifact too many
   */
  publish(event: TurnEvent): Promise<void>;
  /**
   * Asks the store whether the turn still owns its task, if it may have lost it unnoticed.
   * @throws {TurnEnded} it has
   */
  confirm(): Promise<void>;
}

export type TurnEvent = StatusEvent | ArtifactEvent;

export interface StatusEvent {
  readonly kind: 'status';
  readonly state: TaskState;
  readonly message?: Message;
  readonly metadata?: Metadata;
  /** The turn ends with this event. */
  readonly settles: boolean;
  /** A client that waits for this turn gets the task now; the turn goes on. */
  readonly releasesCaller?: boolean;
  /** The attempts are spent: the task fails, and its message is kept for operators. */
  readonly isDeadLetter?: boolean;
  /** The turn answers with a plain Message: `message` of this completed status. */
  readonly isReply?: boolean;
  /** Published inside a step. */
  readonly step?: StepStamp;
}

export interface ArtifactEvent {
  readonly kind: 'artifact';
  /** The parts of this update and the artifact's header; a header's fields are merged when `append` is set. */
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly lastChunk: boolean;
  readonly metadata?: Metadata;
  /** Keeps each part as it came, where text chunks would otherwise be joined in the stored artifact. */
  readonly keepsParts?: boolean;
  /** Published inside a step. */
  readonly step?: StepStamp;
}
