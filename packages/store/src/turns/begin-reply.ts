import { hash } from 'node:crypto';
import { integer, text, tuple, tupleAnd, verdict } from '../redis/reply.ts';
import type { StoreSettings } from '../redis/settings.ts';
import { piece } from '../tasks/pieces.ts';

const none = tuple();

const beginVerdicts = {
  stale: none,
  missing: none,
  canceled: none,
  exhausted: none,
  turn: tupleAnd([text, integer, text, text, text], piece),
};
/**
 * What begin.lua returns: of a turn its fencing token, attempt, cancel ('' | '1'), inbox entry, owner, and the task in
 * pieces.
 */
export const beginReply = verdict(beginVerdicts);
/** What take-turns.lua returns of a job: `later`: it asks for its turn itself. */
export const takenTurnReply = verdict({ ...beginVerdicts, later: tuple() });
export type BeginReply = ReturnType<typeof beginReply>;

/** The last arguments of every script that begins a turn. */
export const beginArgs = ['run', 'maxAttempts', 'largeBytes'] as const;

/**
 * The values of `beginArgs`.
 * @param settings `maxAttempts`: the agent's own, if it has one
 * @param run what tells this run of a turn from any other: of its job's lock, and how many turns it has run under it
 */
export function beginArguments({ maxAttempts, largeTextBytes }: StoreSettings, run: string) {
  const id = Number.parseInt(hash('sha256', run).slice(0, 12), 16).toString(36).slice(-8);
  return { run: id, maxAttempts, largeBytes: largeTextBytes };
}

/** The number in a fencing token: how many turns of the task had begun with it. */
export function epochOf(fence: string): number {
  return Number.parseInt(fence, 10);
}

/** The settings for an agent that has a number of attempts of its own. */
export function withAttempts(settings: StoreSettings, maxAttempts = settings.maxAttempts): StoreSettings {
  return { ...settings, maxAttempts };
}
