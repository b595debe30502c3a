import { AddressRefused, retryAfterMs } from '@switchyard/outgoing';
import type { Unreadable } from '@switchyard/store';

/**
 * What became of one attempt at a delivery.
 * - `delivered`: answered with 2xx. `gone`: 410, the receiver wants no more.
 * - `refused`: an answer, or an address, that trying again hardly changes. `failed`: one that it may.
 * - `busy`: not tried, this process has enough calls to that host open.
 */
export type Outcome =
  | { readonly kind: 'delivered' | 'gone' | 'busy' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number; readonly blamesHost: boolean };

export type Failure = Extract<Outcome, { reason: string }>;

/** Timed out, too early, too many: statuses of 4xx that say "later" (RFC 9110, RFC 8470, RFC 6585). */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/** @param retryAfter the header as it came */
export function outcomeOfAnswer(status: number, retryAfter: string | undefined): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const reason = `the receiver answered ${status}`;
  if (status < 500 && !LATER.has(status)) return { kind: 'refused', reason };
  const askedMs = retryAfterMs(retryAfter);
  return { kind: 'failed', reason, blamesHost: status >= 500, ...(askedMs !== undefined && { retryAfterMs: askedMs }) };
}

/** An attempt that got no answer. The reason names what went wrong, not what was sent. */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof AddressRefused) return { kind: 'refused', reason: error.message };
  return { kind: 'failed', reason: reasonOf(error), blamesHost: true };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the receiver could not be reached';
  if (error.name === 'TimeoutError') return 'the receiver did not answer in time';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `the receiver could not be reached: ${code}`;
}

/** A webhook that cannot be read, for want of a secret: it may be given again. */
export function outcomeOfUnreadable(error: Unreadable): Failure {
  return { kind: 'failed', reason: `the config cannot be read: ${error.message}`, blamesHost: false };
}
