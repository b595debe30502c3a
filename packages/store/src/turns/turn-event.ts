import type { Artifact, Message, TaskState } from '@switchyard/protocol';

type Metadata = Readonly<Record<string, unknown>>;

/** Of an event that a step publishes: written with it, in one go. */
export interface StepStamp {
  readonly key: string;
  /** What the events of the step have come to, this one included: comes back from `Steps.begin`. */
  readonly mark: string;
}

/** What a turn may publish. The store adds ids and times. */
export type TurnEvent =
  | {
      readonly kind: 'status';
      readonly state: TaskState;
      readonly message?: Message;
      /** Of the event; merged into the task's. */
      readonly metadata?: Metadata;
      /** The turn ends with this event. A terminal state always does. */
      readonly settles: boolean;
      /** Whoever waits for this turn's outcome gets the task as it is now, and the turn goes on. */
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
      /**
       * Text chunks stay parts of their own in the stored artifact. Of an artifact: for all of its chunks, or for none.
       */
      readonly keepsParts?: boolean;
      readonly step?: StepStamp;
    };
