/** An event as Redis is told of it. */
export interface EncodedEvent {
  /** As append.lua takes it. */
  readonly args: readonly (string | number)[];
  /** The turn ends with it. */
  readonly isOutcome: boolean;
  /** Set if it does nothing but let an artifact grow. */
  readonly chunk?: Chunk | undefined;
}

/** An event that does nothing but let an artifact grow. */
export interface Chunk {
  /** Number of the artifact. */
  readonly artifact: number;
  /** How the artifact's last part begins, before and after it, if it is open; else ''. */
  readonly first: string;
  /** What the artifact's parts grow by. */
  readonly growth: string;
  /** The event. */
  readonly json: string;
}
