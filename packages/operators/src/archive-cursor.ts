import { defineScript, integer, type RedisConnection } from '@switchyard/redis';
import type { StoreSettings } from '@switchyard/store';
import { type ShardKeys, sortableTime } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

const moveCursorScript = defineScript({
  file: 'move-cursor.lua',
  from: import.meta.url,
  keys: ['archived'],
  args: ['from', 'upto', 'keptMs'],
  reply: integer,
});

interface Move {
  readonly from: string;
  readonly upto: string;
  readonly keptMs: number;
}

/** While the key exists, no task is dropped that was not copied. After this time all of them have expired. */
export const cursorKeptMs = ({ retentionMs }: Pick<StoreSettings, 'retentionMs'>): number => 2 * retentionMs;

/** The time before which all ended tasks of the shard are copied; '' for none; undefined: nobody has copied yet. */
export async function readCursor(redis: RedisConnection, { archived }: ShardKeys): Promise<string | undefined> {
  return (await redis.get(archived)) ?? undefined;
}

/** @returns false: somebody else has moved it */
export async function moveCursor(redis: RedisConnection, { archived }: ShardKeys, move: Move): Promise<boolean> {
  return (await moveCursorScript.run(redis, { keys: { archived }, args: { ...move } })) === 1;
}

type CursorDependencies = Pick<OperatorDependencies, 'redis' | 'shards' | 'settings'>;

/**
 * Makes workers copy again what Redis has.
 * @param since only what has ended since this ISO time; unset: all
 */
export async function setCursorsBack(dependencies: CursorDependencies, since: string | undefined): Promise<void> {
  const { redis, shards, settings } = dependencies;
  const wanted = since === undefined ? '' : sortableTime(since);
  const setBack = async (keys: ShardKeys): Promise<void> => {
    for (;;) {
      const from = (await readCursor(redis, keys)) ?? '';
      const upto = from < wanted ? from : wanted;
      if (await moveCursor(redis, keys, { from, upto, keptMs: cursorKeptMs(settings) })) return;
    }
  };
  await Promise.all(shards.all.map(setBack));
}

/** Once there is no archive: tasks may be dropped for lack of memory as if there had never been one. */
export async function forgetCursors({ redis, shards }: CursorDependencies): Promise<void> {
  await Promise.all(shards.all.map(({ archived }) => redis.unlink(archived)));
}
