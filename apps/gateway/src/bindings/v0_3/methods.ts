import type { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import type { z } from 'zod';
import {
  deleteConfigParamsSchema,
  listConfigsParamsSchema,
  messageParamsSchema,
  noParamsSchema,
  setConfigParamsSchema,
  taskParamsSchema,
} from './params.ts';

/**
 * The SDK's translation from version 0.3 and back. Its REST handler adds no envelope, so the gateway adds that of
 * JSON-RPC.
 */
type Translation = LegacyRestTransportHandler;
type Translate<Result> = (translation: Translation, params: object, context: ServerCallContext) => Promise<Result>;

/** `params`: what must be right for the translation. */
export type LegacyMethod = { readonly params: z.ZodType } & (
  | { readonly kind: 'unary'; readonly run: Translate<unknown> }
  | { readonly kind: 'streaming'; readonly run: Translate<AsyncIterable<LegacyEvent>> }
);

/** The fields of a task, message or update that the gateway reads. */
export interface LegacyEvent {
  readonly kind?: string;
  readonly final?: boolean;
  readonly status?: { readonly state: string };
}

interface TaskParams {
  readonly id: string;
  readonly historyLength?: unknown;
  readonly pushNotificationConfigId: string;
}

/** The methods of A2A 0.3 (7) over JSON-RPC. */
export const legacyMethods = {
  'message/send': unary(messageParamsSchema, (translation, params, context) =>
    translation.sendMessage(as(params), context),
  ),
  'message/stream': streaming(messageParamsSchema, (translation, params, context) =>
    translation.sendMessageStream(as(params), context),
  ),
  'tasks/get': unary(taskParamsSchema, (translation, params, context) => {
    const { id, historyLength } = as<TaskParams>(params);
    return translation.getTask(id, context, historyLength ?? undefined);
  }),
  'tasks/cancel': unary(taskParamsSchema, (translation, params, context) =>
    translation.cancelTask(as<TaskParams>(params).id, context),
  ),
  'tasks/resubscribe': streaming(taskParamsSchema, (translation, params, context) =>
    translation.resubscribe(as<TaskParams>(params).id, context),
  ),
  'tasks/pushNotificationConfig/set': unary(setConfigParamsSchema, (translation, params, context) =>
    translation.setTaskPushNotificationConfig(as(params), context),
  ),
  'tasks/pushNotificationConfig/get': unary(taskParamsSchema, (translation, params, context) => {
    const { id, pushNotificationConfigId } = as<TaskParams>(params);
    return translation.getTaskPushNotificationConfig(id, pushNotificationConfigId, context);
  }),
  'tasks/pushNotificationConfig/list': unary(listConfigsParamsSchema, (translation, params, context) =>
    translation.listTaskPushNotificationConfigs(as<TaskParams>(params).id, context),
  ),
  'tasks/pushNotificationConfig/delete': unary(deleteConfigParamsSchema, async (translation, params, context) => {
    const { id, pushNotificationConfigId } = as<TaskParams>(params);
    await translation.deleteTaskPushNotificationConfig(id, pushNotificationConfigId, context);
    return null;
  }),
  'agent/getAuthenticatedExtendedCard': unary(noParamsSchema, (translation, _params, context) =>
    translation.getAuthenticatedExtendedAgentCard(context),
  ),
} as const satisfies Readonly<Record<string, LegacyMethod>>;

export type LegacyMethodName = keyof typeof legacyMethods;

function unary(params: z.ZodType, run: Translate<unknown>): LegacyMethod {
  return { kind: 'unary', params, run };
}

function streaming(params: z.ZodType, run: Translate<AsyncIterable<LegacyEvent>>): LegacyMethod {
  return { kind: 'streaming', params, run };
}

/** The operation validates the translated request. */
function as<Params>(params: object): Params {
  return params as Params;
}
