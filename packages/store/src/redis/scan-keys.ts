import type { RedisConnection } from './connection.ts';
import { mastersOf } from './masters.ts';

/** Of each step of a scan. */
const COUNT = 1_000;

/** The names of all keys that match, of all masters: about a second for each million. One may come twice. */
export async function* scanKeys(redis: RedisConnection, pattern: string): AsyncGenerator<string[]> {
  for (const node of mastersOf(redis)) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', COUNT);
      cursor = next;
      yield keys;
    } while (cursor !== '0');
  }
}
