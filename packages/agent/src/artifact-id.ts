import { derivedId } from './derived-id.ts';

/** Where an artifact comes from: the nth of its name in the turn over a message, or in a step of that turn. */
export interface ArtifactOrigin {
  readonly messageId: string;
  readonly name: string;
  /** 1, 2, … */
  readonly ordinal: number;
  /** '' outside of steps. */
  readonly step: string;
}

/**
 * The same for every attempt at a turn, so that a retried turn replaces what the failed attempt had written instead of
 * leaving it beside the new one.
 */
export function artifactId({ messageId, name, ordinal, step }: ArtifactOrigin): string {
  return derivedId([messageId, name, ordinal, ...(step ? [step] : [])]);
}
