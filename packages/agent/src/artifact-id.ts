import { createHash } from 'node:crypto';

/** Where an artifact comes from: the nth of its name in the turn over a message. */
export interface ArtifactOrigin {
  readonly messageId: string;
  readonly name: string;
  /** 1, 2, … */
  readonly ordinal: number;
}

/**
 * The same for every attempt at a turn, so that a retried turn replaces what the failed attempt had written instead of
 * leaving it beside the new one. In the form of a UUID, version 8 (RFC 9562, 5.8).
 */
export function artifactId({ messageId, name, ordinal }: ArtifactOrigin): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([messageId, name, ordinal]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
