import * as sdk from '@a2a-js/sdk';

interface MessageType {
  fromJSON(object: unknown): unknown;
}

interface Messages {
  readonly request: MessageType;
  readonly response: MessageType & { toJSON(message: unknown): unknown };
}

const task = { response: sdk.Task as Messages['response'] };
const config = { response: sdk.TaskPushNotificationConfig as Messages['response'] };

/** The protobuf messages of each operation. */
const messages: Readonly<Record<string, Messages>> = {
  SendMessage: { request: sdk.SendMessageRequest, response: sdk.SendMessageResponse as Messages['response'] },
  SendStreamingMessage: { request: sdk.SendMessageRequest, response: sdk.StreamResponse as Messages['response'] },
  SubscribeToTask: { request: sdk.SubscribeToTaskRequest, response: sdk.StreamResponse as Messages['response'] },
  GetTask: { request: sdk.GetTaskRequest, ...task },
  ListTasks: { request: sdk.ListTasksRequest, response: sdk.ListTasksResponse as Messages['response'] },
  CancelTask: { request: sdk.CancelTaskRequest, ...task },
  CreateTaskPushNotificationConfig: { request: sdk.TaskPushNotificationConfig, ...config },
  GetTaskPushNotificationConfig: { request: sdk.GetTaskPushNotificationConfigRequest, ...config },
  ListTaskPushNotificationConfigs: {
    request: sdk.ListTaskPushNotificationConfigsRequest,
    response: sdk.ListTaskPushNotificationConfigsResponse as Messages['response'],
  },
  DeleteTaskPushNotificationConfig: {
    request: sdk.DeleteTaskPushNotificationConfigRequest,
    response: { fromJSON: () => ({}), toJSON: () => ({}) },
  },
  GetExtendedAgentCard: { request: sdk.GetExtendedAgentCardRequest, response: sdk.AgentCard as Messages['response'] },
};

export function messagesOf(operation: string): Messages {
  const found = messages[operation];
  if (!found) throw new Error(`${operation} is no operation`);
  return found;
}

/** As protobuf writes it: empty fields are left out, so that the answers of all bindings can be compared. */
export function normalise(operation: string, json: unknown): unknown {
  const { response } = messagesOf(operation);
  return response.toJSON(response.fromJSON(markNullData(json)));
}

/** The SDK's fromJSON takes `{"data": null}` for a part without content: a placeholder text stands for it. */
export function markNullData(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json).replaceAll('"data":null', '"data":"<null>"'));
}
