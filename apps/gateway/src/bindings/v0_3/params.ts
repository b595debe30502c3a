import { base64Schema, idSchema, jsonValueSchema, oneOf } from '@switchyard/protocol/schemas';
import { z } from 'zod';

// The parameters of A2A 0.3 (7) over JSON-RPC, as far as the SDK's translation relies on them or renames them. The
// operations validate the translated requests.

const textSchema = z.custom<string>((value) => typeof value === 'string', { error: 'must be a string' });

/** A2A 0.3, 6.5. */
const partSchema = z
  .object({
    kind: z.literal(['text', 'file', 'data']),
    text: textSchema.exactOptional(),
    file: oneOf({ bytes: base64Schema, uri: z.string() }).exactOptional(),
    data: jsonValueSchema.exactOptional(),
  })
  .superRefine((part, context) => {
    if (!(part.kind in part)) context.addIssue({ code: 'custom', path: [part.kind], message: 'is required' });
  });

/** A2A 0.3, 6.8. */
const pushConfigSchema = z.object({
  url: z.string().min(1),
  authentication: z.object({ schemes: z.array(z.string()) }).exactOptional(),
});

/** A2A 0.3, 7.1. */
export const messageParamsSchema = z.object({
  message: z.object({
    messageId: z.string().min(1),
    role: z.literal(['user', 'agent']),
    parts: z.array(partSchema),
    extensions: z.array(z.string()).exactOptional(),
    referenceTaskIds: z.array(z.string()).exactOptional(),
  }),
  configuration: z
    .object({
      acceptedOutputModes: z.array(z.string()).exactOptional(),
      blocking: z.literal([true, false]).exactOptional(),
      pushNotificationConfig: pushConfigSchema.exactOptional(),
    })
    .exactOptional(),
});

/** A2A 0.3, 7.3: of all methods for one task. */
export const taskParamsSchema = z.object({ id: idSchema });

/** A2A 0.3, 7.7. Strict, as every list. */
export const listConfigsParamsSchema = z.strictObject({ id: idSchema, metadata: jsonValueSchema.exactOptional() });

/** A2A 0.3, 7.5. */
export const setConfigParamsSchema = z.object({ taskId: idSchema, pushNotificationConfig: pushConfigSchema });

/** A2A 0.3, 7.8. */
export const deleteConfigParamsSchema = taskParamsSchema.extend({ pushNotificationConfigId: idSchema });

export const noParamsSchema = z.object({});
