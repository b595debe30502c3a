/** A line of the table of trials. */
export interface Finding {
  readonly what: string;
  readonly value: string | number;
  readonly isGood: boolean;
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
