import type { TaskState } from '@switchyard/protocol';
import type { RedisConnection } from '../redis/connection.ts';
import { integer, type Parser, text, tuple } from '../redis/reply.ts';

/** The parts of a task to read. */
export interface TaskView {
  /** The n latest messages; 0 leaves the history out; unset: all. */
  readonly historyLength?: number | undefined;
  /** Default true. */
  readonly includeArtifacts?: boolean | undefined;
  /** The version that the caller has: if it is current, `task` is left out. */
  readonly version?: string | undefined;
}

export interface TaskReading {
  /** Changes with every event and every accepted message: an ETag. */
  readonly version: string;
  readonly seq: number;
  /** Of the last event: see EventId. */
  readonly incarnation: number;
  readonly state: TaskState;
  /** The caller got a plain message instead of this task. */
  readonly isWithdrawn: boolean;
  /** No client has been given this task, as the agent may answer with a plain message. */
  readonly isHidden: boolean;
  /** The highest number of a message whose caller need not wait any longer. */
  readonly released: number;
  /** JSON of the task as UTF-8, sent as it is. Absent if the caller has this version. */
  readonly task?: Buffer;
}

/** A piece of a task from pieces.lua: JSON, or the key and length of a large text. */
export type Piece = string | [key: string, last: number];

const textPlace = tuple(text, integer);

export const piece: Parser<Piece> = (reply) => (typeof reply === 'string' ? reply : textPlace(reply));

/** @returns undefined: a large artifact was replaced between the two reads */
export async function joinPieces(redis: RedisConnection, pieces: readonly Piece[]): Promise<Buffer | undefined> {
  const isReady = pieces.every((piece) => typeof piece === 'string');
  if (isReady) return encode(pieces.join(''));
  const texts = await Promise.all(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : large(redis, piece))),
  );
  return texts.every((text) => text !== undefined) ? Buffer.concat(texts) : undefined;
}

/** Outside of Node's buffer pool: a cached text would keep its whole slab. */
function encode(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** A large text only grows: its first `last` bytes are the text at the time of the read. */
async function large(redis: RedisConnection, [key, last]: [key: string, last: number]): Promise<Buffer | undefined> {
  const text = await redis.getrangeBuffer(key, 1, last);
  return text.length === last ? text : undefined;
}
