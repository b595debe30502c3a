import { priorityUri, timeToLiveUri } from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { prioritySchema, timeToLiveSchema } from '../operations/asked-by-extension.ts';

/** What a client says of its message beside the arguments of its call, which are the model's. */
export interface MessageSettings {
  /** A repeated message is accepted once. */
  readonly messageId: string | undefined;
  /** For the extensions of A2A, by their URIs: docs/extensions/priority.md, docs/extensions/time-to-live.md. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

const settingsSchema = z.strictObject({
  'switchyard/messageId': z.string().min(1).optional(),
  'switchyard/priority': prioritySchema.optional(),
  'switchyard/ttlMs': timeToLiveSchema.optional(),
});

/** @param meta `_meta` of the call: other keys are not ours @throws {A2AError} InvalidParams */
export function messageSettingsIn(meta: object = {}): MessageSettings {
  const ours = Object.entries(meta).filter(([key]) => key.startsWith('switchyard/'));
  const given = parse(settingsSchema, Object.fromEntries(ours), '_meta');
  const { 'switchyard/messageId': messageId, 'switchyard/priority': priority, 'switchyard/ttlMs': ttlMs } = given;
  return {
    messageId,
    metadata: {
      ...(priority !== undefined && { [priorityUri]: { priority } }),
      ...(ttlMs !== undefined && { [timeToLiveUri]: { ttlMs } }),
    },
  };
}
