import {
  cancelTaskRequestSchema,
  deleteTaskPushNotificationConfigRequestSchema,
  getExtendedAgentCardRequestSchema,
  getTaskPushNotificationConfigRequestSchema,
  getTaskRequestSchema,
  listTaskPushNotificationConfigsRequestSchema,
  listTaskPushNotificationConfigsResponseSchema,
  listTasksRequestSchema,
  listTasksResponseSchema,
  sendMessageConfigurationSchema,
  sendMessageRequestSchema,
  sendMessageResponseSchema,
  subscribeToTaskRequestSchema,
} from '../../src/schemas/requests.ts';
import { explicit, type ObjectDefinition, oneOf, optional, required, requiredOrEmpty } from './field.ts';

/** §3: the parameters and results of the operations. */
export const requests = {
  SendMessageRequest: {
    section: '3.2.1',
    schema: sendMessageRequestSchema,
    fields: {
      tenant: optional('string'),
      message: required('Message'),
      configuration: optional('SendMessageConfiguration'),
      metadata: optional('Struct'),
    },
  },
  SendMessageConfiguration: {
    section: '3.2.2',
    schema: sendMessageConfigurationSchema,
    fields: {
      acceptedOutputModes: optional('string[]'),
      taskPushNotificationConfig: optional('TaskPushNotificationConfig'),
      historyLength: explicit('count'),
      returnImmediately: optional('bool'),
    },
  },
  SendMessageResponse: {
    section: '3.1.1',
    schema: sendMessageResponseSchema,
    fields: {
      task: oneOf('Task'),
      message: oneOf('Message'),
    },
  },
  GetTaskRequest: {
    section: '3.1.3',
    schema: getTaskRequestSchema,
    fields: {
      tenant: optional('string'),
      id: required('id'),
      historyLength: explicit('count'),
    },
  },
  ListTasksRequest: {
    section: '3.1.4',
    schema: listTasksRequestSchema,
    fields: {
      tenant: optional('string'),
      contextId: optional('id'),
      status: optional('TaskState'),
      pageSize: explicit('page size'),
      pageToken: optional('string'),
      historyLength: explicit('count'),
      statusTimestampAfter: optional('Timestamp'),
      includeArtifacts: explicit('bool'),
    },
  },
  ListTasksResponse: {
    section: '3.1.4',
    schema: listTasksResponseSchema,
    fields: {
      tasks: requiredOrEmpty('Task[]'),
      nextPageToken: requiredOrEmpty('string'),
      pageSize: requiredOrEmpty('count'),
      totalSize: requiredOrEmpty('count'),
    },
  },
  CancelTaskRequest: {
    section: '3.1.5',
    schema: cancelTaskRequestSchema,
    fields: {
      tenant: optional('string'),
      id: required('id'),
      metadata: optional('Struct'),
    },
  },
  SubscribeToTaskRequest: {
    section: '3.1.6',
    schema: subscribeToTaskRequestSchema,
    fields: {
      tenant: optional('string'),
      id: required('id'),
    },
  },
  GetTaskPushNotificationConfigRequest: {
    section: '3.1.8',
    schema: getTaskPushNotificationConfigRequestSchema,
    fields: {
      tenant: optional('string'),
      taskId: required('id'),
      id: required('id'),
    },
  },
  ListTaskPushNotificationConfigsRequest: {
    section: '3.1.9',
    schema: listTaskPushNotificationConfigsRequestSchema,
    fields: {
      tenant: optional('string'),
      taskId: required('id'),
      pageSize: optional('count'),
      pageToken: optional('string'),
    },
  },
  ListTaskPushNotificationConfigsResponse: {
    section: '3.1.9',
    schema: listTaskPushNotificationConfigsResponseSchema,
    fields: {
      configs: requiredOrEmpty('TaskPushNotificationConfig[]'),
      nextPageToken: requiredOrEmpty('string'),
    },
  },
  DeleteTaskPushNotificationConfigRequest: {
    section: '3.1.10',
    schema: deleteTaskPushNotificationConfigRequestSchema,
    fields: {
      tenant: optional('string'),
      taskId: required('id'),
      id: required('id'),
    },
  },
  GetExtendedAgentCardRequest: {
    section: '3.1.11',
    schema: getExtendedAgentCardRequestSchema,
    fields: {
      tenant: optional('string'),
    },
  },
} satisfies Record<string, ObjectDefinition>;
