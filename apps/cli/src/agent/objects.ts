// A2A objects as JSON, as far as this command reads them: other servers may omit any field, and send more.

export interface Part {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: unknown;
  readonly filename?: string;
  readonly mediaType?: string;
}

export interface Message {
  readonly messageId?: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role?: string;
  readonly parts?: readonly Part[];
  readonly metadata?: unknown;
}

export interface Artifact {
  readonly artifactId?: string;
  readonly name?: string;
  readonly parts?: readonly Part[];
}

export interface TaskStatus {
  readonly state?: string;
  readonly message?: Message;
  readonly timestamp?: string;
}

export interface Task {
  readonly id?: string;
  readonly contextId?: string;
  readonly status?: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: unknown;
}

export interface SendMessageResponse {
  readonly task?: Task;
  readonly message?: Message;
}

export interface StreamResponse extends SendMessageResponse {
  readonly statusUpdate?: {
    readonly taskId?: string;
    readonly contextId?: string;
    readonly status?: TaskStatus;
    readonly metadata?: unknown;
  };
  readonly artifactUpdate?: {
    readonly taskId?: string;
    readonly contextId?: string;
    readonly artifact?: Artifact;
    readonly append?: boolean;
    readonly lastChunk?: boolean;
    readonly metadata?: unknown;
  };
}

export interface PushConfig {
  readonly id?: string;
  readonly taskId?: string;
  readonly url?: string;
}

const terminal = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((name) => `TASK_STATE_${name}`);
const interrupted = ['INPUT_REQUIRED', 'AUTH_REQUIRED'].map((name) => `TASK_STATE_${name}`);

/** The state as sent; a task without one is in an unspecified state. */
export function stateOf({ status }: { readonly status?: TaskStatus | undefined }): string {
  return status?.state ?? 'TASK_STATE_UNSPECIFIED';
}

export function isTerminal(state: string): boolean {
  return terminal.includes(state);
}

export function isInterrupted(state: string): boolean {
  return interrupted.includes(state);
}

/** Waiting for a task ends in this state. */
export function isSettled(state: string): boolean {
  return isTerminal(state) || isInterrupted(state);
}
