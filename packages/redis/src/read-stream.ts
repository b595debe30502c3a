import type { RedisConnection } from './connection.ts';
import { list, text, tuple } from './reply.ts';
import { defineScript } from './script.ts';

const readStreamScript = defineScript({
  file: 'read-stream.lua',
  from: import.meta.url,
  keys: ['stream'],
  args: ['from', 'limit', 'bytes'],
  reply: list(tuple(text, list(text))),
});

export interface StreamPage {
  /** Id of the first entry. */
  readonly from: string;
  readonly limit: number;
  /** Of values; two entries are returned in any case. */
  readonly bytes: number;
}

/** The next entries of a stream, as many as fit into one reply: id, then field and value. */
export function readStream(redis: RedisConnection, stream: string, args: StreamPage) {
  return readStreamScript.run(redis, { keys: { stream }, args: { ...args } });
}
