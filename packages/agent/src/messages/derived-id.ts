import { createHash } from 'node:crypto';

/**
 * An id that is derived from values, and so the same in every attempt. A UUID of version 8 (RFC 9562, 5.8).
 *
 *     const headers = { 'Idempotency-Key': derivedId([turn.task.id, turn.message.messageId, 'order']) };
 *     await fetch('https://shop.example/orders', { method: 'POST', headers, body: turn.text });
 */
export function derivedId(named: readonly unknown[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(named)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Identifies an artifact: the nth with its name in the turn of a message, or in a step of that turn. */
export interface ArtifactOrigin {
  readonly messageId: string;
  readonly name: string;
  /** 1, 2, … */
  readonly ordinal: number;
  /** '' outside of steps. */
  readonly step: string;
}

/** The id is the same in every attempt at a turn, so that a retried turn replaces the artifacts of a failed attempt. */
export function artifactId({ messageId, name, ordinal, step }: ArtifactOrigin): string {
  return derivedId([messageId, name, ordinal, ...(step ? [step] : [])]);
}

/** Of which message's turn a message of the agent is. */
interface MessageOrigin {
  readonly taskId: string;
  /** Of the message that the turn answers. */
  readonly messageId: string;
}

/** 48 bits: that many digits, with a hyphen. */
const ORIGIN_LENGTH = 13;

/**
 * The id of a message that a turn says: the same in every attempt with the same content, so that the history has the
 * message once. It begins with the turn's origin.
 */
export function turnMessageId(origin: MessageOrigin, said: readonly unknown[]): string {
  const { taskId, messageId } = origin;
  return originOf(origin) + derivedId([taskId, messageId, 'message', ...said]).slice(ORIGIN_LENGTH);
}

/** What the ids of all messages that a turn says begin with, in each of its attempts. */
export function originOf({ taskId, messageId }: MessageOrigin): string {
  return derivedId([taskId, messageId, 'turn']).slice(0, ORIGIN_LENGTH);
}

/** The origin of a message of an agent. One that did not get its id from its turn has an origin that no turn has. */
export function originIn(saidId: string): string {
  return saidId.slice(0, ORIGIN_LENGTH);
}
