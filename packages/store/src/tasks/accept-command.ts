import { jobOptions } from '../queue/queue.ts';
import type { Shards } from '../redis/shards.ts';
import type { StoreSettings } from '../settings.ts';
import type { Acceptance, CallingTurn, RefusedCall } from './submission.ts';

// What accept.lua and make-tasks.lua have in common.

type Refusal = Exclude<Acceptance['verdict'], 'accepted'> | RefusedCall['verdict'];

/** Of one message. */
export type AcceptReply =
  | [Refusal]
  | [
      verdict: 'scheduled' | 'queued' | 'duplicate',
      taskId: string,
      context: string,
      number: number,
      seq: number,
      job: number,
      /** Of a new task. */
      timestamp?: string,
    ];

/** A key, if an agent calls. */
export function callerNames(shards: Shards, caller: CallingTurn | undefined): string[] {
  return caller ? [shards.of(caller.taskId).task(caller.taskId)] : [];
}

/** From the time that a messageId is remembered to the calls that a turn may have made. */
export function acceptArguments(settings: StoreSettings, caller: CallingTurn | undefined): (string | number)[] {
  const options = jobOptions(isAwaited(caller));
  if (!caller) return [settings.idempotencyMs, options, '', '', ''];
  return [settings.idempotencyMs, options, caller.fence, caller.isDetached ? 'd' : 'w', settings.maxCalls];
}

/** A turn waits for it, and holds on to what it has meanwhile. */
export function isAwaited(caller: CallingTurn | undefined): boolean {
  return caller?.isDetached === false;
}
