import type { StoreSettings } from '../settings.ts';
import type { Piece } from '../tasks/pieces.ts';

/** What begin.lua returns. */
export type BeginReply =
  | ['stale' | 'missing' | 'canceled' | 'exhausted']
  | ['turn', epoch: number, attempt: number, cancel: string, entry: string, owner: string, ...task: Piece[]];

/** The last arguments of every script that begins a turn. */
export function beginArguments({ maxAttempts, largeTextBytes }: StoreSettings): number[] {
  return [maxAttempts, largeTextBytes];
}
