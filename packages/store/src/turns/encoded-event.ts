/** An event as the arguments of a script. */
export interface EncodedEvent {
  /** For append.lua. */
  readonly args: readonly (string | number)[];
  /** The turn ends with this event. */
  readonly isOutcome: boolean;
  /** Set if the event only appends to an artifact. */
  readonly chunk?: Chunk | undefined;
  /** Set if the event is only a status. */
  readonly status?: PlainStatus | undefined;
}

/** A status whose message the history lacks, and nothing else. */
export interface PlainStatus {
  /** Letter of its state. */
  readonly state: string;
  /** JSON; '' none. */
  readonly message: string;
  /** The message is the whole answer, which has no task for its client. */
  readonly isReply: boolean;
}

/** An event that only appends to an artifact. */
export interface Chunk {
  /** Number of the artifact. */
  readonly artifact: number;
  /** The beginning of the artifact's last part if it is open, before and after this event; else ''. */
  readonly first: string;
  /** The text that is appended to the artifact's parts. */
  readonly growth: string;
  /** The event. */
  readonly json: string;
}
