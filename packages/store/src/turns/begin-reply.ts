import { hash } from 'node:crypto';
import type { StoreSettings } from '../settings.ts';
import type { Piece } from '../tasks/pieces.ts';

/** What begin.lua returns. */
export type BeginReply =
  | ['stale' | 'missing' | 'canceled' | 'exhausted']
  | ['turn', fence: string, attempt: number, cancel: string, entry: string, owner: string, ...task: Piece[]];

/**
 * The last arguments of every script that begins a turn: the id of its run first.
 * @param settings `maxAttempts`: the agent's own, if it has one
 * @param run what tells this run of a turn from any other: of its job's lock, and how many turns it has run under it
 */
export function beginArguments({ maxAttempts, largeTextBytes }: StoreSettings, run: string): (string | number)[] {
  return [hash('sha256', run, 'base64url').slice(0, 8), maxAttempts, largeTextBytes];
}

/** The number in a fencing token: how many turns of the task had begun with it. */
export function epochOf(fence: string): number {
  return Number.parseInt(fence, 10);
}

/** The settings for an agent that has a number of attempts of its own. */
export function withAttempts(settings: StoreSettings, maxAttempts = settings.maxAttempts): StoreSettings {
  return { ...settings, maxAttempts };
}
