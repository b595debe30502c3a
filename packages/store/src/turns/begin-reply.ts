import { randomUUID } from 'node:crypto';
import type { StoreSettings } from '../settings.ts';
import type { Piece } from '../tasks/pieces.ts';

/** What begin.lua returns. */
export type BeginReply =
  | ['stale' | 'missing' | 'canceled' | 'exhausted']
  | ['turn', epoch: number, attempt: number, cancel: string, entry: string, owner: string, ...task: Piece[]];

/** The last arguments of every script that begins a turn. */
export function beginArguments({ maxAttempts, largeTextBytes }: StoreSettings): (string | number)[] {
  return [maxAttempts, givenUp(maxAttempts), largeTextBytes];
}

/** What the task says when every attempt at a message has died without a word. */
function givenUp(attempts: number): string {
  const text = `The agent stopped unexpectedly ${attempts} times while working on this message; it was given up.`;
  return JSON.stringify({ messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }] });
}
