import { repeatWhileFull } from './batches.ts';
import type { RedisConnection } from './connection.ts';
import { isOutage, toError } from './errors.ts';
import { text, tuple } from './reply.ts';

/** The row of a member in the reply of a script that includes claim.lua: the script's own, or the error. */
export const damagedRow = tuple(text, text);

/** How long a member waits that cannot be worked on: it is tried, and reported, again each minute. */
export const SET_ASIDE_MS = 60_000;

/** A member that this process has claimed. */
export interface ClaimedMember {
  readonly member: string;
}

/** A member of which a key is damaged, and the error. */
export type DamagedMember = readonly ['damaged', member: string, error: string];

export interface Claims<Item> {
  /** By Redis' clock. */
  readonly nowMs: number;
  readonly claimed: readonly Item[];
  readonly damaged: readonly DamagedMember[];
  /** Members that the claim itself worked on. Default: 0. */
  readonly done?: number;
}

/** A sorted set of work that is due: one process claims each member, and works on it. */
export interface DueSet<Item extends ClaimedMember> {
  readonly redis: RedisConnection;
  readonly key: string;
  /** Members of one claim at most. */
  readonly limit: number;
  /** A member is due so many ms after its score. */
  readonly pastMs?: number;
  /** How long one call goes on claiming. */
  readonly forMs?: number;
  readonly claim: () => Promise<Claims<Item>>;
  /** Must move or remove the member, or it is due again when its claim ends. */
  readonly work: (item: Item) => Promise<unknown>;
}

/** A member that cannot be worked on. The message has its first word, an id: the others may name a principal. */
class MemberSetAside extends Error {
  override readonly name = 'MemberSetAside';

  constructor(key: string, member: string, cause: Error) {
    const [id] = member.split(' ');
    super(`${id} in ${key} cannot be worked on, and is set aside for ${SET_ASIDE_MS / 1_000} s: ${cause.message}`, {
      cause,
    });
  }
}

/**
 * Claims the members that are due and works on them, until none is due. A member that is damaged holds up no other: it
 * is set aside, and is one of the errors.
 * @returns the number of members that were worked on
 */
export async function workOff<Item extends ClaimedMember>(
  set: DueSet<Item>,
): Promise<{ readonly count: number; readonly errors: readonly unknown[] }> {
  let count = 0;
  const errors: unknown[] = [];
  const step = async (): Promise<number> => {
    const { nowMs, claimed, damaged, done = 0 } = await set.claim();
    const failed = damaged.map(([, member, message]) => ({ member, error: new Error(message) }));
    await Promise.all(
      claimed.map(async (item) => {
        try {
          await set.work(item);
          count++;
        } catch (error) {
          failed.push({ member: item.member, error: toError(error) });
        }
      }),
    );
    // During an outage, members are due again when their claims end.
    const broken = failed.filter(({ error }) => !isOutage(error));
    const dueMs = nowMs - (set.pastMs ?? 0) + SET_ASIDE_MS;
    if (broken.length) await set.redis.zadd(set.key, 'XX', ...broken.flatMap(({ member }) => [dueMs, member]));
    errors.push(
      ...broken.map(({ member, error }) => new MemberSetAside(set.key, member, error)),
      ...failed.flatMap(({ error }) => (isOutage(error) ? error : [])),
    );
    return claimed.length + damaged.length + done;
  };
  try {
    await repeatWhileFull(set.limit, step, set.forMs);
  } catch (error) {
    errors.push(error);
  }
  return { count, errors };
}

/**
 * Works off such a set of each of these shards. Several processes may do so at once.
 * @returns the number of members that were worked on
 * @throws the errors, after all other members of all shards were worked on
 */
export async function workOffShards<Keys, Item extends ClaimedMember>(
  shards: readonly Keys[],
  setOf: (keys: Keys) => DueSet<Item>,
): Promise<number> {
  const all = await Promise.all(shards.map((keys) => workOff(setOf(keys))));
  const errors = all.flatMap((each) => each.errors);
  if (errors.length === 1) throw errors[0];
  // The first ten: the message is a line of the log.
  const messages = errors.slice(0, 10).map((error) => toError(error).message);
  if (errors.length > 1) throw new AggregateError(errors, messages.join('; '));
  return all.reduce((sum, { count }) => sum + count, 0);
}

export function damagedMembers(rows: readonly (DamagedMember | readonly ['claimed', ...unknown[]])[]): DamagedMember[] {
  return rows.flatMap((row) => (row[0] === 'damaged' ? [row] : []));
}
