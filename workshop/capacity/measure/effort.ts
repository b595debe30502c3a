/** How long each measurement takes. */
export interface Effort {
  /** Of each measurement: disturbances only add to a cost, so that the least one counts. */
  readonly rounds: number;
  readonly idleSeconds: number;
  /** With open streams: long enough for every periodic task to run once. */
  readonly streamSeconds: number;
  readonly messages: number;
}

export const full: Effort = { rounds: 3, idleSeconds: 4, streamSeconds: 15, messages: 20_000 };

/** Shows that everything can be measured: its figures are noise. */
export const short: Effort = { rounds: 1, idleSeconds: 1, streamSeconds: 1, messages: 1_000 };
