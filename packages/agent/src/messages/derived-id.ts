import { createHash } from 'node:crypto';

/**
 * An id that follows from what it names: the same in every attempt. In the form of a UUID, version 8 (RFC 9562, 5.8).
 */
export function derivedId(named: readonly unknown[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(named)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

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
