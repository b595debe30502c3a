import {
  authenticationInfoSchema,
  taskPushNotificationConfigSchema,
} from '../../src/schemas/push-notification-config.ts';
import {
  streamResponseSchema,
  taskArtifactUpdateEventSchema,
  taskStatusUpdateEventSchema,
} from '../../src/schemas/stream-response.ts';
import { artifactSchema, messageSchema, partSchema, taskSchema, taskStatusSchema } from '../../src/schemas/task.ts';
import { type ObjectDefinition, oneOf, optional, required, requiredOrEmpty } from './field.ts';

/** §4.1 to §4.3: tasks, messages, artifacts and the events about them. */
export const objects = {
  Part: {
    section: '4.1.6',
    schema: partSchema,
    fields: {
      text: oneOf('string'),
      raw: oneOf('bytes'),
      url: oneOf('string'),
      data: oneOf('Value'),
      metadata: optional('Struct'),
      filename: optional('string'),
      mediaType: optional('string'),
    },
  },
  Message: {
    section: '4.1.4',
    schema: messageSchema,
    fields: {
      messageId: required('id'),
      contextId: optional('id'),
      taskId: optional('id'),
      role: required('Role'),
      parts: required('Part[]'),
      metadata: optional('Struct'),
      extensions: optional('string[]'),
      referenceTaskIds: optional('id[]'),
    },
  },
  Artifact: {
    section: '4.1.7',
    schema: artifactSchema,
    fields: {
      artifactId: required('id'),
      name: optional('string'),
      description: optional('string'),
      parts: requiredOrEmpty('Part[]'),
      metadata: optional('Struct'),
      extensions: optional('string[]'),
    },
  },
  TaskStatus: {
    section: '4.1.2',
    schema: taskStatusSchema,
    fields: {
      state: required('TaskState'),
      message: optional('Message'),
      timestamp: optional('Timestamp'),
    },
  },
  Task: {
    section: '4.1.1',
    schema: taskSchema,
    fields: {
      id: required('id'),
      contextId: optional('id'),
      status: required('TaskStatus'),
      artifacts: optional('Artifact[]'),
      history: optional('Message[]'),
      metadata: optional('Struct'),
    },
  },
  TaskStatusUpdateEvent: {
    section: '4.2.1',
    schema: taskStatusUpdateEventSchema,
    fields: {
      taskId: required('id'),
      contextId: required('id'),
      status: required('TaskStatus'),
      metadata: optional('Struct'),
    },
  },
  TaskArtifactUpdateEvent: {
    section: '4.2.2',
    schema: taskArtifactUpdateEventSchema,
    fields: {
      taskId: required('id'),
      contextId: required('id'),
      artifact: required('Artifact'),
      append: optional('bool'),
      lastChunk: optional('bool'),
      metadata: optional('Struct'),
    },
  },
  StreamResponse: {
    section: '3.2.3',
    schema: streamResponseSchema,
    fields: {
      task: oneOf('Task'),
      message: oneOf('Message'),
      statusUpdate: oneOf('TaskStatusUpdateEvent'),
      artifactUpdate: oneOf('TaskArtifactUpdateEvent'),
    },
  },
  AuthenticationInfo: {
    section: '4.3.2',
    schema: authenticationInfoSchema,
    fields: {
      scheme: required('string'),
      credentials: optional('string'),
    },
  },
  TaskPushNotificationConfig: {
    section: '4.3.1',
    schema: taskPushNotificationConfigSchema,
    fields: {
      tenant: optional('string'),
      id: optional('id'),
      taskId: optional('id'),
      url: required('webhook'),
      token: optional('string'),
      authentication: optional('AuthenticationInfo'),
    },
  },
} satisfies Record<string, ObjectDefinition>;
