import type { RedisConnection } from './connection.ts';
import { mastersOf } from './masters.ts';

/** COUNT of each SCAN. */
const COUNT = 1_000;

/** The names of all keys that match, on all masters: about a second for each million. A key may be returned twice. */
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
