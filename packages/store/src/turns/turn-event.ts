import type { Artifact, Message, TaskState } from '@switchyard/protocol';

type Metadata = Readonly<Record<string, unknown>>;

/** The step that publishes an event: stored by the same script. */
export interface StepStamp {
  readonly key: string;
  /** Summary of the step's events, this one included; `Steps.begin` returns it. */
  readonly mark: string;
}

/** An event of a turn. The store adds ids and times. */
export type TurnEvent =
  | {
      readonly kind: 'status';
      readonly state: TaskState;
      readonly message?: Message;
      /** Metadata of the event, merged into the task's. */
      readonly metadata?: Metadata;
      /** The turn ends with this event. A terminal state always does. */
      readonly settles: boolean;
      /** The caller that waits for this turn gets the task as it is, and the turn goes on. */
      readonly releasesCaller?: boolean;
      /** The outcome is a plain message. */
      readonly isReply?: boolean;
      readonly step?: StepStamp;
    }
  | {
      readonly kind: 'artifact';
      readonly artifact: Artifact;
      readonly append: boolean;
      readonly lastChunk: boolean;
      readonly metadata?: Metadata;
      /** Text chunks stay separate parts of the stored artifact: for all chunks of an artifact, or for none. */
      readonly keepsParts?: boolean;
      readonly step?: StepStamp;
    };
