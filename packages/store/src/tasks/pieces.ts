import type { RedisConnection } from '../redis/connection.ts';

/** Of a task, as pieces.lua has it: JSON, or where a large text is. */
export type Piece = string | [key: string, last: number];

/** @returns undefined: a large artifact was replaced between the two reads */
export async function joinPieces(redis: RedisConnection, pieces: readonly Piece[]): Promise<string | undefined> {
  const isReady = pieces.every((piece) => typeof piece === 'string');
  if (isReady) return pieces.join('');
  const texts = await Promise.all(pieces.map((piece) => (typeof piece === 'string' ? piece : large(redis, piece))));
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** Such a text only grows: its first `last` bytes are the text as of the read. */
async function large(redis: RedisConnection, [key, last]: [key: string, last: number]): Promise<string | undefined> {
  const text = await redis.getrangeBuffer(key, 1, last);
  return text.length === last ? text.toString() : undefined;
}
