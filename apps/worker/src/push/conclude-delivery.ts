import { backoffDelayMs } from '@switchyard/agent/runtime';
import type { DeliveryCursor, FailedAttempt, OpenDeliveryQueue } from '@switchyard/push';
import type { JobOutcome } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import type { Failure, Outcome } from './outcome.ts';
import type { PushSettings } from './push-settings.ts';

export interface ConcludeDependencies {
  readonly settings: PushSettings;
  readonly emit: Emit;
}

/** An attempt at a delivery. */
export interface DeliveryAttempt {
  readonly queue: OpenDeliveryQueue;
  /** Origin of the receiver. */
  readonly origin: string;
  /** The cursor after a success. */
  readonly cursor: DeliveryCursor;
}

/** What the queue does with the job; `more`: more deliveries may be due. */
export type AfterDelivery = JobOutcome | 'more';

/** Pause before another call to a host that already gets enough calls. */
const BUSY_MS = 250;

/** Writes the outcome of an attempt to the store. */
export async function concludeDelivery(
  dependencies: ConcludeDependencies,
  attempt: DeliveryAttempt,
  outcome: Outcome,
): Promise<AfterDelivery> {
  const { queue, cursor } = attempt;
  switch (outcome.kind) {
    case 'delivered':
      return (await queue.advance(cursor)) === 'more' ? 'more' : 'done';
    case 'busy':
      return postpone(queue, { delayMs: BUSY_MS, attempts: queue.attempts });
    case 'gone':
      await queue.remove();
      dependencies.emit({ kind: 'push-ended', ...nameOf(attempt) });
      return 'done';
    case 'refused':
    case 'failed':
      return concludeFailure(dependencies, attempt, outcome);
  }
}

async function concludeFailure(
  dependencies: ConcludeDependencies,
  attempt: DeliveryAttempt,
  failure: Failure,
): Promise<AfterDelivery> {
  const { queue, origin } = attempt;
  const attempts = queue.attempts + 1;
  const { reason, status, response } = failure;
  const failed = { at: new Date().toISOString(), status, reason, response };
  if (isGivenUp(failure, { attempts, ageMs: queue.ageMs }, dependencies.settings)) {
    await queue.deadLetter({ origin, reason, attempts }, failed);
    dependencies.emit({ kind: 'push-dead-letter', ...nameOf(attempt), reason, attempts });
    return 'done';
  }
  const delay = delayMs(failure, attempts, dependencies.settings);
  dependencies.emit({ kind: 'push-failed', ...nameOf(attempt), reason, attempts, retryInMs: Math.ceil(delay) });
  return postpone(queue, { delayMs: delay, attempts }, failed);
}

async function postpone(
  queue: OpenDeliveryQueue,
  { delayMs, attempts }: { delayMs: number; attempts: number },
  failed?: FailedAttempt,
): Promise<AfterDelivery> {
  const retryAfterMs = Math.ceil(delayMs);
  return (await queue.postpone({ delayMs: retryAfterMs, attempts }, failed)) === 'postponed'
    ? { retryAfterMs }
    : 'done';
}

function nameOf({ queue, origin }: DeliveryAttempt): { taskId: string; configId: string; origin: string } {
  return { taskId: queue.id.taskId, configId: queue.configId, origin };
}

/** A refused delivery is retried a few times, in case the receiver is just being deployed. */
const ATTEMPTS_AT_REFUSAL = 5;

/** How often, and for how long, a delivery has been attempted, this time included. */
export interface AttemptHistory {
  readonly attempts: number;
  readonly ageMs: number;
}

/** Whether the webhook must be given up after this failure. */
function isGivenUp(failure: Failure, { attempts, ageMs }: AttemptHistory, settings: PushSettings): boolean {
  const maxAttempts =
    failure.kind === 'refused' ? Math.min(ATTEMPTS_AT_REFUSAL, settings.maxAttempts) : settings.maxAttempts;
  return attempts >= maxAttempts || ageMs >= settings.maxAgeMs;
}

/** Milliseconds until the next attempt: the backoff, but no earlier than the receiver's Retry-After. */
function delayMs(failure: Failure, attempts: number, settings: PushSettings): number {
  const asked = failure.kind === 'failed' ? (failure.retryAfterMs ?? 0) : 0;
  return Math.max(backoffDelayMs(settings, attempts), asked);
}
