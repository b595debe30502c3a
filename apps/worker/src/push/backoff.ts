import { backoffDelayMs } from '../backoff.ts';
import type { Failure } from './outcome.ts';
import type { PushSettings } from './push-settings.ts';

/** A refusal is tried again, too, in case a receiver is just being deployed; but not for long. */
const ATTEMPTS_AT_REFUSAL = 5;
/** Longest wait that a receiver may ask for. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** How often, and for how long, a delivery was tried, this time included. */
export interface Tries {
  readonly attempts: number;
  readonly ageMs: number;
}

/** Whether a webhook is to be given up after this. */
export function isHopeless(failure: Failure, { attempts, ageMs }: Tries, settings: PushSettings): boolean {
  const most = failure.kind === 'refused' ? Math.min(ATTEMPTS_AT_REFUSAL, settings.maxAttempts) : settings.maxAttempts;
  return attempts >= most || ageMs >= settings.maxAgeMs;
}

/** Milliseconds until the next attempt: the backoff, and no earlier than the receiver asked for. */
export function delayMs(failure: Failure, attempts: number, settings: PushSettings): number {
  const asked = failure.kind === 'failed' ? (failure.retryAfterMs ?? 0) : 0;
  return Math.max(backoffDelayMs(settings, attempts), Math.min(asked, MAX_RETRY_AFTER_MS));
}
