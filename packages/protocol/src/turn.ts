import type { TurnFault } from './failure.ts';
import type { Metadata } from './objects/json.ts';
import type { TaskState } from './objects/states.ts';
import type { Artifact, Message, Task } from './objects/task.ts';

/** The caller. Every read and write of the store is scoped to a principal. */
export interface Principal {
  readonly tenant: string;
  readonly subject: string;
  readonly scopes: readonly string[];
}

/** The agent that called, in a turn of its own. */
export interface CallingAgent {
  readonly agent: string;
  readonly taskId: string;
  /** 1: called by an agent that a client had called; 2: called by such an agent; … */
  readonly depth: number;
}

/** W3C Trace Context: names a span in requests. */
export interface TraceContext {
  /** `traceparent` */
  readonly parent: string;
  /** `tracestate`: entries of tracing systems. */
  readonly state?: string;
}

/** The trace of a message, stored with it so that it continues after the queue. Without a span if none was recorded. */
export interface MessageTrace extends Partial<TraceContext> {
  /** Its sender waits for the answer, or reads it as a stream. */
  readonly isAwaited?: boolean;
}

/**
 * What happens to a message that arrives for a task while its turn runs: it waits, and runs as the next turn; the
 * running turn gets it; or it is refused.
 */
export type WhileWorking = 'queue' | 'steer' | 'reject';

/** The input of a turn. */
export interface TurnInput {
  /** The task before this turn; its history includes the message of this turn, and messages that wait behind it. */
  readonly task: Task;
  readonly message: Message;
  /** Id of the agent whose turn it is. */
  readonly agent: string;
  /** The sender of the message. */
  readonly principal: Principal;
  /** 1, 2, … for this message. */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  /** Media types that the client accepts (A2A 3.2.2); empty: any. */
  readonly acceptedOutputModes: readonly string[];
  /** URIs of the extensions that the client requested (A2A 3.2.6). */
  readonly extensions: readonly string[];
  /** Metadata of the client's request (A2A 3.2.5). */
  readonly metadata: Metadata;
  /** Id of the skill that the message names; if it names none, the skill whose queue has the task. */
  readonly skill?: string | undefined;
  /** The agent that called, if the message comes from one. */
  readonly caller: CallingAgent | undefined;
}

/** An event of a turn. The store adds ids and times. */
export type TurnEvent = StatusEvent | ArtifactEvent;

/** A new status of the task, with a message if there is one. */
export interface StatusEvent {
  readonly kind: 'status';
  readonly state: TaskState;
  readonly message?: Message;
  /** Metadata of the event, merged into the task's. */
  readonly metadata?: Metadata;
  /** The turn ends with this event. A terminal state always ends it. */
  readonly settles: boolean;
  /** A client that waits for this turn gets the task now; the turn goes on. */
  readonly answersCaller?: boolean;
  /** Ids of the messages that the turn was given besides its own: a status that settles answers them, too. */
  readonly delivered?: readonly string[];
  /** The attempts are spent: the task fails, and its message is kept for operators with this reason. */
  readonly deadLetterReason?: string;
  /** Why the turn failed, for operators. Never a part of the event. */
  readonly fault?: TurnFault;
  /** The turn answers with a plain Message: `message` of this completed status. */
  readonly isPlainMessage?: boolean;
  /** Published inside a step. */
  readonly step?: StepStamp;
}

/** A chunk of an artifact. */
export interface ArtifactEvent {
  readonly kind: 'artifact';
  /** The parts of this update and the artifact's header; a header's fields are merged when `append` is set. */
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly lastChunk: boolean;
  readonly metadata?: Metadata;
  /** Text chunks stay separate parts of the stored artifact: for all chunks of an artifact, or for none. */
  readonly keepsChunksApart?: boolean;
  /** Published inside a step. */
  readonly step?: StepStamp;
}

/** The step that publishes an event: stored with it, in the same script. */
export interface StepStamp {
  readonly key: string;
  /** Summary of the step's events, this one included; the next run of the step gets it. */
  readonly mark: string;
}
