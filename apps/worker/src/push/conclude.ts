import type { JobOutcome, OpenLane, Place } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { backoffDelayMs } from '../timing/backoff.ts';
import type { Failure, Outcome } from './outcome.ts';
import type { PushSettings } from './push-settings.ts';

export interface ConcludePort {
  readonly settings: PushSettings;
  readonly emit: Emit;
}

/** What was attempted. */
export interface Attempt {
  readonly lane: OpenLane;
  /** Of the receiver. */
  readonly origin: string;
  /** Where the lane is if it succeeded. */
  readonly place: Place;
}

/** What becomes of the job; `more`: the lane may have more to tell. */
export type Step = JobOutcome | 'more';

/** Before another call to a host that has enough of them under way. */
const BUSY_MS = 250;

/** Brings the outcome of an attempt into the store. */
export async function conclude(port: ConcludePort, attempt: Attempt, outcome: Outcome): Promise<Step> {
  const { lane, place } = attempt;
  switch (outcome.kind) {
    case 'delivered':
      return (await lane.advance(place)) === 'more' ? 'more' : 'done';
    case 'busy':
      return later(lane, { delayMs: BUSY_MS, attempts: lane.attempts });
    case 'gone':
      await lane.remove();
      port.emit({ kind: 'push-ended', ...nameOf(attempt) });
      return 'done';
    case 'refused':
    case 'failed':
      return concludeFailure(port, attempt, outcome);
  }
}

async function concludeFailure(port: ConcludePort, attempt: Attempt, failure: Failure): Promise<Step> {
  const { lane, origin } = attempt;
  const attempts = lane.attempts + 1;
  const { reason } = failure;
  if (isHopeless(failure, { attempts, ageMs: lane.ageMs }, port.settings)) {
    await lane.bury({ origin, reason, attempts });
    port.emit({ kind: 'push-dead', ...nameOf(attempt), reason, attempts });
    return 'done';
  }
  const delay = delayMs(failure, attempts, port.settings);
  port.emit({ kind: 'push-failed', ...nameOf(attempt), reason, attempts, retryInMs: Math.ceil(delay) });
  return later(lane, { delayMs: delay, attempts });
}

async function later(lane: OpenLane, { delayMs, attempts }: { delayMs: number; attempts: number }): Promise<Step> {
  const retryAfterMs = Math.ceil(delayMs);
  return (await lane.postpone(retryAfterMs, attempts)) === 'postponed' ? { retryAfterMs } : 'done';
}

function nameOf({ lane, origin }: Attempt): { taskId: string; configId: string; origin: string } {
  return { taskId: lane.id.taskId, configId: lane.configId, origin };
}

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
function isHopeless(failure: Failure, { attempts, ageMs }: Tries, settings: PushSettings): boolean {
  const most = failure.kind === 'refused' ? Math.min(ATTEMPTS_AT_REFUSAL, settings.maxAttempts) : settings.maxAttempts;
  return attempts >= most || ageMs >= settings.maxAgeMs;
}

/** Milliseconds until the next attempt: the backoff, and no earlier than the receiver asked for. */
function delayMs(failure: Failure, attempts: number, settings: PushSettings): number {
  const asked = failure.kind === 'failed' ? (failure.retryAfterMs ?? 0) : 0;
  return Math.max(backoffDelayMs(settings, attempts), Math.min(asked, MAX_RETRY_AFTER_MS));
}
