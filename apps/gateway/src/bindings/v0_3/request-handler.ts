import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  type StreamResponse,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { retainCopies } from '@switchyard/store';
import { requireShallow } from '../../exchange/read-json.ts';
import { legacyVersion } from '../../exchange/service-parameters.ts';
import { runOperation } from '../../operations/operation.ts';
import type { OperationName } from '../../operations/operations.ts';
import type { GatewayContext } from '../gateway-context.ts';
import {
  toAgentCard,
  toPushConfig,
  toPushConfigList,
  toSendMessageResponse,
  toStreamResponse,
  toTask,
  toTaskList,
} from '../grpc/messages.ts';
import { callerOf } from './caller.ts';

const bindings = ['JSONRPC', 'HTTP+JSON', 'GRPC'];

/** The operations as a request handler of the SDK, which only translates. */
export function createRequestHandler(context: GatewayContext): A2ARequestHandler {
  const unary = invokeUnary(context);
  const streaming = invokeStreaming(context);
  const listConfigs: A2ARequestHandler['listTaskPushNotificationConfigs'] = async (params, context) =>
    toPushConfigList(
      await unary('ListTaskPushNotificationConfigs', ListTaskPushNotificationConfigsRequest.toJSON(params), context),
    );
  /** A2A 0.3, 7.6: the config's id is optional. */
  const unnamedConfig = async (taskId: string, context: ServerCallContext) => {
    const { configs } = await listConfigs({ taskId, tenant: '', pageSize: 0, pageToken: '' }, context);
    return configs.find(({ id }) => id === taskId) ?? configs[0];
  };
  return {
    getAgentCard: async () => permissiveCard,
    async sendMessage(params, context) {
      const response = toSendMessageResponse(
        await unary('SendMessage', withoutZero(SendMessageRequest.toJSON(params), context), context),
      );
      if (!response.payload) throw new TypeError('neither a task nor a message');
      return response.payload.value;
    },
    sendMessageStream: (params, context) =>
      streaming('SendStreamingMessage', withoutZero(SendMessageRequest.toJSON(params), context), context),
    getTask: async (params, context) =>
      toTask(await unary('GetTask', withoutZero(GetTaskRequest.toJSON(params), context), context)),
    cancelTask: async (params, context) => toTask(await unary('CancelTask', CancelTaskRequest.toJSON(params), context)),
    resubscribe: (params, context) => streaming('SubscribeToTask', SubscribeToTaskRequest.toJSON(params), context),
    listTasks: async (params, context) =>
      toTaskList(await unary('ListTasks', ListTasksRequest.toJSON(params), context)),
    createTaskPushNotificationConfig: async (params, context) =>
      toPushConfig(await unary('CreateTaskPushNotificationConfig', TaskPushNotificationConfig.toJSON(params), context)),
    async getTaskPushNotificationConfig(params, context) {
      const { taskId } = params;
      const config = params.id ? undefined : await unnamedConfig(taskId, context);
      if (config) return config;
      const request = GetTaskPushNotificationConfigRequest.toJSON({ ...params, id: params.id || taskId });
      return toPushConfig(await unary('GetTaskPushNotificationConfig', request, context));
    },
    listTaskPushNotificationConfigs: listConfigs,
    async deleteTaskPushNotificationConfig(params, context) {
      const request = DeleteTaskPushNotificationConfigRequest.toJSON(params);
      await unary('DeleteTaskPushNotificationConfig', request, context);
    },
    async getAuthenticatedExtendedAgentCard(params, context) {
      const json = await unary('GetExtendedAgentCard', GetExtendedAgentCardRequest.toJSON(params), context);
      const card = toAgentCard(json);
      // The SDK removes interfaces of other versions, and refuses a card without any.
      return { ...card, supportedInterfaces: duplicateInterfacesForLegacy(card.supportedInterfaces, bindings) };
    },
  };
}

/**
 * The SDK checks one card for the capabilities of all agents. So this card has all of them, and the operations refuse
 * what an agent lacks.
 */
const permissiveCard = AgentCard.fromJSON({
  capabilities: { streaming: true, pushNotifications: true },
  supportedInterfaces: bindings.map((protocolBinding) => ({ protocolBinding, protocolVersion: legacyVersion })),
});

interface WithHistoryLength {
  readonly historyLength?: unknown;
  readonly configuration?: WithHistoryLength;
}

function withoutZero(params: unknown, context: ServerCallContext): unknown {
  return callerOf(context).wire.zeroIsUnset && isObject(params) ? withoutZeroIn(params) : params;
}

function withoutZeroIn({ historyLength, configuration, ...rest }: WithHistoryLength): WithHistoryLength {
  return {
    ...rest,
    ...(historyLength !== 0 && { historyLength }),
    ...(configuration && { configuration: withoutZeroIn(configuration) }),
  };
}

function isObject(value: unknown): value is WithHistoryLength {
  return typeof value === 'object' && value !== null;
}

/** Memory of an answer: text, message and events of both versions, and the bytes being sent. */
const COPIES = 6;

/** Runs an operation with a single answer. @returns JSON text */
function invokeUnary({ operations }: GatewayContext) {
  return async (name: OperationName, params: unknown, context: ServerCallContext): Promise<string> => {
    const caller = callerOf(context);
    caller.hasAsked = true;
    try {
      const run = { call: caller.call, params: requireShallow(params, 'request') };
      const answer = await runOperation(operations[name], run);
      if ('items' in answer) throw new TypeError(`${name} answers with a stream`);
      const { json = '{}' } = answer;
      caller.wire.hold(retainCopies(json, COPIES));
      return json.toString();
    } catch (thrown) {
      throw caller.wire.refuse(thrown);
    } finally {
      caller.wire.done();
    }
  };
}

/** Runs an operation with a stream, no faster than its client reads. */
function invokeStreaming({ operations }: GatewayContext) {
  return async function* (
    name: OperationName,
    params: unknown,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const caller = callerOf(context);
    caller.hasAsked = true;
    try {
      const run = { call: caller.call, params: requireShallow(params, 'request') };
      const answer = await runOperation(operations[name], run);
      if (!('items' in answer)) throw new TypeError(`${name} answers with one message`);
      using stream = answer;
      for await (const { seq, incarnation, json } of stream.items) {
        caller.position = { seq, incarnation };
        using _copies = retainCopies(json, COPIES);
        yield toStreamResponse(json.toString());
        await caller.wire.drained(json.length);
        stream.requireWhole();
      }
      stream.requireWhole();
    } catch (thrown) {
      if (caller.wire.endWith?.(thrown)) return;
      throw caller.wire.refuse(thrown);
    } finally {
      caller.wire.done();
    }
  };
}
