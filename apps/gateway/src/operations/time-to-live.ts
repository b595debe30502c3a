import { longestTimeToLiveMs, timeToLiveUri } from '@switchyard/protocol';
import { z } from 'zod';
import type { Call } from '../call/call.ts';
import { extensionReader } from '../call/extensions.ts';
import type { ConditionalSend } from './if-generation.ts';

const readAsked = extensionReader(timeToLiveUri, z.strictObject({ ttlMs: z.int().min(1).max(longestTimeToLiveMs) }));

/**
 * The time to live of a message: what its client asks for (docs/extensions/time-to-live.md), or the agent's own.
 * @throws {A2AError} InvalidParams
 */
export function readTimeToLive(call: Call, request: ConditionalSend): number | undefined {
  return readAsked(call, request)?.ttlMs ?? call.agent.timeToLiveMs;
}
