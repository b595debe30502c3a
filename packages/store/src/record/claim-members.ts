import {
  type ClaimedMember,
  type Claims,
  type DamagedMember,
  damagedMembers,
  damagedRow,
  defineScript,
  integer,
  type RedisConnection,
  text,
  tuple,
  tupleAnd,
  verdict,
} from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';

export const claimMembersScript = defineScript({
  file: 'claim-members.lua',
  from: import.meta.url,
  keys: ['set', 'tasksRoot'],
  args: ['claimMs', 'limit', 'pastMs', 'field'],
  reply: tupleAnd([integer, integer], verdict({ claimed: tuple(text, text), damaged: damagedRow })),
});

/** What `claimMembers` claims. */
export interface MembersToClaim {
  readonly key: string;
  readonly claimMs: number;
  readonly limit: number;
  readonly pastMs?: number;
  /** Of the task's record, which is read for each member. */
  readonly field?: string;
}

/** A member with the field of its task that was asked for, '' without one. `untilMs`: its score now. */
export interface TaskMember extends ClaimedMember {
  readonly field: string;
  readonly untilMs: number;
}

/** @returns also `nextInMs`: ms until the next member is due; -1: there is none */
export async function claimMembers(
  redis: RedisConnection,
  { tasks: tasksRoot }: ShardKeys,
  { key, claimMs, limit, pastMs = 0, field = '' }: MembersToClaim,
): Promise<Claims<TaskMember> & { readonly nextInMs: number }> {
  const [nowMs, nextInMs, ...rows] = await claimMembersScript.run(redis, {
    keys: { set: key, tasksRoot },
    args: { claimMs, limit, pastMs, field },
  });
  const untilMs = nowMs - pastMs + claimMs;
  return { nowMs, nextInMs, claimed: claimedTasks(rows, untilMs), damaged: damagedMembers(rows) };
}

type ClaimRow = readonly ['claimed', member: string, field: string] | DamagedMember;

/** The tasks among the rows of such a script. @param untilMs their score now */
export function claimedTasks(rows: readonly ClaimRow[], untilMs: number): TaskMember[] {
  return rows.flatMap(([kind, member, field]) => (kind === 'claimed' ? { member, field, untilMs } : []));
}
