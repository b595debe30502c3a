import type { Metadata, OneOf } from './json.ts';
import type { TaskState } from './states.ts';

/** §4.1.6: a piece of content. Exactly one of `text`, `raw` (base64), `url` and `data` (any JSON value, null too). */
export type Part = OneOf<{ text: string; raw: string; url: string; data: unknown }> & PartDetails;

interface PartDetails {
  metadata?: Metadata;
  filename?: string;
  /** For every kind of part, for example `text/plain` or `application/json`. */
  mediaType?: string;
}

/** §4.1.5. ROLE_UNSPECIFIED is missing: it means that the field was not set. */
export const roles = ['ROLE_USER', 'ROLE_AGENT'] as const;
export type Role = (typeof roles)[number];

/** §4.1.4: one unit of communication between client and agent. */
export interface Message {
  messageId: string;
  contextId?: string;
  taskId?: string;
  role: Role;
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
  referenceTaskIds?: string[];
}

/**
 * §4.1.7: an output of a task. `parts` may be empty: an append that only closes an artifact (`lastChunk`) adds nothing.
 */
export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
}

/** §4.1.2: the state of a task, its time, and the agent's message about it. */
export interface TaskStatus {
  state: TaskState;
  message?: Message;
  timestamp?: string;
}

/** §4.1.1: the unit of work. */
export interface Task {
  id: string;
  contextId?: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata?: Metadata;
}
