import { jobOptions } from '../queue/queue.ts';
import { integer, optional, text, tuple, verdict } from '../redis/reply.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Shards } from '../redis/shards.ts';
import type { CallingTurn } from './submission.ts';

// What accept.lua and make-tasks.lua share.

/**
 * Of an accepted message: task, context, number, seq, job; the timestamp of the status if it was scheduled, else '';
 * for a task that existed, the incarnation of its last event.
 */
const accepted = tuple(text, text, integer, integer, integer, optional(text), optional(integer));
const refused = tuple();

/** What accept.lua returns, and make-tasks.lua of each message. */
export const acceptReply = verdict({
  scheduled: accepted,
  queued: accepted,
  duplicate: accepted,
  conflict: refused,
  missing: refused,
  'context-mismatch': refused,
  terminal: refused,
  canceling: refused,
  'inbox-full': refused,
  'history-full': refused,
  'too-many-webhooks': refused,
  fenced: refused,
  'caller-canceling': refused,
  'too-many-calls': refused,
});
export type AcceptReply = ReturnType<typeof acceptReply>;

export const acceptArgs = ['idempotencyMs', 'jobOptions', 'callerFence', 'manner', 'maxCalls'] as const;

/** The key of the caller's task, if an agent calls. */
export function callerKey(shards: Shards, caller: CallingTurn | undefined): string | undefined {
  return caller && shards.of(caller.taskId).task(caller.taskId);
}

/** The values of `acceptArgs`. */
export function acceptArguments(settings: StoreSettings, caller: CallingTurn | undefined) {
  const { idempotencyMs, maxCalls } = settings;
  return {
    idempotencyMs,
    jobOptions: jobOptions(isAwaited(caller)),
    callerFence: caller?.fence ?? '',
    manner: caller ? (caller.isDetached ? 'd' : 'w') : '',
    maxCalls: caller ? maxCalls : '',
  };
}

/** Whether a running turn waits for the message. */
export function isAwaited(caller: CallingTurn | undefined): boolean {
  return caller?.isDetached === false;
}
