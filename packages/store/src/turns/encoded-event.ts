/** An event as the arguments of a script. */
export interface EncodedEvent {
  /** For append.lua. */
  readonly args: readonly (string | number)[];
  /** The turn ends with this event. */
  readonly isOutcome: boolean;
  /** Set if the event only appends to an artifact. */
  readonly chunk?: Chunk | undefined;
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
