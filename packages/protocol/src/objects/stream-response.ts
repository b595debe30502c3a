import type { Metadata, OneOf } from './json.ts';
import type { Artifact, Message, Task, TaskStatus } from './task.ts';

/** §4.2.1: the status of a task changed. */
export interface TaskStatusUpdateEvent {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: Metadata;
}

/** §4.2.2: an artifact was created or replaced, or extended (`append`). */
export interface TaskArtifactUpdateEvent {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append?: boolean;
  lastChunk?: boolean;
  metadata?: Metadata;
}

/** §3.2.3: one event of a stream, and the body of a push notification (§4.3.3). */
export type StreamResponse = OneOf<{
  task: Task;
  message: Message;
  statusUpdate: TaskStatusUpdateEvent;
  artifactUpdate: TaskArtifactUpdateEvent;
}>;
