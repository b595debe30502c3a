import type { Outcome, Turn } from '@switchyard/agent';
import {
  type Artifact,
  fold,
  isTerminal,
  type Message,
  type Metadata,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskState,
  type TaskStatus,
} from '@switchyard/protocol';
import type { ArtifactIds } from './artifact-ids.ts';
import { coalesced } from './coalesced.ts';

/**
 * Mirrors another agent's task into a turn: each message once, artifacts as they grow, states as they change. From a
 * whole task it publishes only what the turn does not have yet.
 */
export class Mirror {
  readonly #turn: Turn;
  readonly #ids: ArtifactIds;
  readonly #seen: Set<string>;
  /** The artifacts of this turn, kept up to date with `fold`. */
  #shown: Task;
  #state: TaskState = 'TASK_STATE_SUBMITTED';
  #annotated = '';

  constructor(turn: Turn, ids: ArtifactIds) {
    this.#turn = turn;
    this.#ids = ids;
    this.#seen = new Set(turn.history.map(({ messageId }) => messageId));
    this.#shown = { id: turn.task.id, status: turn.task.status, artifacts: turn.task.artifacts ?? [] };
  }

  /** Set once the end of the other task, or its question, is this turn's outcome. */
  get outcome(): Outcome | undefined {
    return this.#turn.outcome;
  }

  /** Publishes the messages and artifacts so far, without the status. */
  async content({ history = [], artifacts = [], status }: Task): Promise<void> {
    for (const message of history) {
      const { messageId, role } = message;
      const isMissing = role === 'ROLE_AGENT' && messageId !== status.message?.messageId && !this.#seen.has(messageId);
      if (isMissing) await this.status({ state: 'TASK_STATE_WORKING', message });
    }
    for (const artifact of artifacts) await this.#whole(artifact, isTerminal(status.state));
  }

  /** Publishes a chunk of an artifact, or a replacement. An append to an unknown artifact creates it. */
  async artifact(update: TaskArtifactUpdateEvent): Promise<void> {
    const { artifact, lastChunk = false, metadata } = update;
    const append = update.append === true && this.#ids.has(artifact.artifactId);
    const ours = this.#ours(artifact, append);
    this.#shown = fold(this.#shown, { artifactUpdate: { taskId: '', contextId: '', artifact: ours, append } });
    await this.#turn.publish({ kind: 'artifact', artifact: ours, append, lastChunk, ...(metadata && { metadata }) });
  }

  /** Publishes the state and its message, unless it was published already. */
  async status({ state, message }: TaskStatus, metadata?: Metadata): Promise<void> {
    // This task has been working since the turn began.
    const shown = state === 'TASK_STATE_SUBMITTED' ? this.#state : state;
    const annotated = metadata ? JSON.stringify(metadata) : this.#annotated;
    const isNew = message ? !this.#seen.has(message.messageId) : annotated !== this.#annotated;
    if (shown === this.#state && !isNew) return;
    this.#state = shown;
    this.#annotated = annotated;
    if (message) this.#seen.add(message.messageId);
    await this.#turn.publish({
      kind: 'status',
      state: shown,
      settles: isTerminal(shown) || shown === 'TASK_STATE_INPUT_REQUIRED',
      ...(message && { message: withoutIds(message) }),
      ...(metadata && { metadata }),
    });
  }

  /** Publishes a plain message, the answer of an agent without a task. */
  async reply(message: Message): Promise<void> {
    const { contextId } = this.#turn.task;
    await this.#turn.publish({
      kind: 'status',
      state: 'TASK_STATE_COMPLETED',
      message: { ...withoutIds(message), ...(contextId !== undefined && { contextId }) },
      settles: true,
      isPlainMessage: true,
    });
  }

  async #whole(artifact: Artifact, lastChunk: boolean): Promise<void> {
    const shown = this.#ids.has(artifact.artifactId) ? this.#find(this.#ids.show(artifact).id) : undefined;
    if (shown && JSON.stringify(coalesced(shown.parts)) === JSON.stringify(coalesced(artifact.parts))) return;
    await this.artifact({ taskId: '', contextId: '', artifact, lastChunk });
  }

  /** An append contains only the fields that it changes: otherwise every chunk would write the header again. */
  #ours({ artifactId, metadata, ...artifact }: Artifact, append: boolean): Artifact {
    const { id, origin } = this.#ids.show({ artifactId, ...artifact });
    const whole = {
      artifactId: id,
      ...artifact,
      ...((metadata || origin) && { metadata: { ...metadata, ...origin } }),
    };
    const shown = append ? this.#find(id) : undefined;
    return shown ? { ...changes(whole, shown), artifactId: id, parts: whole.parts } : whole;
  }

  #find(id: string): Artifact | undefined {
    return this.#shown.artifacts?.find(({ artifactId }) => artifactId === id);
  }
}

function changes(artifact: Artifact, shown: Artifact): Partial<Artifact> {
  const before: Readonly<Record<string, unknown>> = { ...shown };
  const isNew = ([key, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[key]);
  return Object.fromEntries(Object.entries(artifact).filter((entry) => entry[0] !== 'parts' && isNew(entry)));
}

/** Ids of the remote task and context mean nothing here. */
function withoutIds({ taskId: _, contextId: __, referenceTaskIds: ___, ...message }: Message): Message {
  return { ...message, role: 'ROLE_AGENT' };
}
