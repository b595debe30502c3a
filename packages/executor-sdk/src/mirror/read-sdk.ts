import {
  Role,
  type Artifact as SdkArtifact,
  Message as SdkMessage,
  StreamResponse as SdkStreamResponse,
  Task as SdkTask,
  type TaskStatus as SdkTaskStatus,
  TaskState,
} from '@a2a-js/sdk';
import type { Message, StreamResponse, Task } from '@switchyard/protocol';
import { messageSchema, parse, streamResponseSchema, taskSchema } from '@switchyard/protocol/schemas';

/**
 * Converts objects of `@a2a-js/sdk`, leniently: unknown states count as working, invalid times are left out, and so are
 * messages and parts without content; unused ids may be missing.
 * @throws {A2AError} naming what is invalid
 */
export function readSdkEvent({ payload }: SdkStreamResponse): StreamResponse {
  const tidy = payload && SdkStreamResponse.toJSON({ payload: tidied(payload) });
  return parse(streamResponseSchema, tidy, 'event');
}

/** As `readSdkEvent`. */
export function readSdkTask(task: SdkTask): Task {
  return parse(taskSchema, SdkTask.toJSON(tidyTask(task)), 'task');
}

/** As `readSdkEvent`. */
export function readSdkMessage(message: SdkMessage): Message {
  return parse(messageSchema, SdkMessage.toJSON(tidyMessage(message)), 'message');
}

type Payload = NonNullable<SdkStreamResponse['payload']>;

/** Replaces a missing context id. */
export const noContext = '-';

function tidied(payload: Payload): Payload {
  switch (payload.$case) {
    case 'task':
      return { $case: 'task', value: tidyTask(payload.value) };
    case 'message':
      return { $case: 'message', value: tidyMessage(payload.value) };
    case 'statusUpdate': {
      const { contextId, status } = payload.value;
      const value = { ...payload.value, contextId: contextId || noContext, status: tidyStatus(status) };
      return { $case: 'statusUpdate', value };
    }
    case 'artifactUpdate': {
      const { contextId, artifact } = payload.value;
      const value = {
        ...payload.value,
        contextId: contextId || noContext,
        artifact: artifact && tidyArtifact(artifact),
      };
      return { $case: 'artifactUpdate', value };
    }
  }
}

function tidyTask(task: SdkTask): SdkTask {
  return {
    ...task,
    status: tidyStatus(task.status),
    artifacts: (task.artifacts ?? []).map(tidyArtifact),
    history: (task.history ?? []).filter(hasContent).map(tidyMessage),
  };
}

function tidyStatus(status: SdkTaskStatus | undefined): SdkTaskStatus {
  const message = status?.message && hasContent(status.message) ? tidyMessage(status.message) : undefined;
  return { state: knownState(status?.state), message, timestamp: isoTime(status?.timestamp) };
}

/** The time only identifies a status: the store sets the times of published events. */
function isoTime(timestamp: string | undefined): string | undefined {
  const time = Date.parse(timestamp ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function knownState(state: TaskState | undefined): TaskState {
  // A later version may have more states.
  const isKnown = state !== undefined && state in TaskState && state > TaskState.TASK_STATE_UNSPECIFIED;
  return isKnown ? state : TaskState.TASK_STATE_WORKING;
}

function tidyMessage(message: SdkMessage): SdkMessage {
  const role = message.role === Role.ROLE_USER ? Role.ROLE_USER : Role.ROLE_AGENT;
  return { ...message, role, parts: message.parts.filter(({ content }) => content) };
}

function tidyArtifact(artifact: SdkArtifact): SdkArtifact {
  return { ...artifact, parts: (artifact.parts ?? []).filter(({ content }) => content) };
}

function hasContent({ parts }: SdkMessage): boolean {
  return (parts ?? []).some(({ content }) => content);
}
