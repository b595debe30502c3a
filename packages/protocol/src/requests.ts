import type { Metadata, OneOf } from './objects/json.ts';
import type { TaskPushNotificationConfig } from './objects/push-notification-config.ts';
import type { TaskState } from './objects/states.ts';
import type { Message, Task } from './objects/task.ts';

/** §3.2.2. */
export interface SendMessageConfiguration {
  acceptedOutputModes?: string[];
  taskPushNotificationConfig?: TaskPushNotificationConfig;
  historyLength?: number;
  returnImmediately?: boolean;
}

/** §3.2.1: of SendMessage and SendStreamingMessage. */
export interface SendMessageRequest {
  tenant?: string;
  message: Message;
  configuration?: SendMessageConfiguration;
  metadata?: Metadata;
}

/** §3.1.1: the task that the message created or continued, or the agent's answer itself. */
export type SendMessageResponse = OneOf<{ task: Task; message: Message }>;

/** §3.1.3. */
export interface GetTaskRequest {
  tenant?: string;
  id: string;
  historyLength?: number;
}

/** §3.1.4. */
export interface ListTasksRequest {
  tenant?: string;
  contextId?: string;
  status?: TaskState;
  pageSize?: number;
  pageToken?: string;
  historyLength?: number;
  statusTimestampAfter?: string;
  includeArtifacts?: boolean;
}

/** §3.1.4. */
export interface ListTasksResponse {
  tasks: Task[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

/** §3.1.5. */
export interface CancelTaskRequest {
  tenant?: string;
  id: string;
  metadata?: Metadata;
}

/** §3.1.6. */
export interface SubscribeToTaskRequest {
  tenant?: string;
  id: string;
}

/** §3.1.7: the configuration itself; here its `taskId` is required. */
export interface CreateTaskPushNotificationConfigRequest extends TaskPushNotificationConfig {
  taskId: string;
}

/** §3.1.8. */
export interface GetTaskPushNotificationConfigRequest {
  tenant?: string;
  taskId: string;
  id: string;
}

/** §3.1.10. */
export type DeleteTaskPushNotificationConfigRequest = GetTaskPushNotificationConfigRequest;

/** §3.1.9. A `pageSize` of 0 is unset: unlike that of ListTasks it has no presence in the protobuf definition. */
export interface ListTaskPushNotificationConfigsRequest {
  tenant?: string;
  taskId: string;
  pageSize?: number;
  pageToken?: string;
}

/** §3.1.9. */
export interface ListTaskPushNotificationConfigsResponse {
  configs: TaskPushNotificationConfig[];
  nextPageToken: string;
}

/** §3.1.11. */
export interface GetExtendedAgentCardRequest {
  tenant?: string;
}
