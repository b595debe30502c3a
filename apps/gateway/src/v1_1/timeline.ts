import {
  type Artifact,
  isTerminal,
  type Message,
  type StreamResponse,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskStatus,
} from '@switchyard/protocol';
import type { FeedItem } from '@switchyard/store';

/** A2A pull request 2129: a message of the client, or a status with the agent's message. */
export interface TimelineEntry {
  readonly message?: Message;
  readonly status?: TaskStatus;
  /** As ProtoJSON writes an int64. */
  readonly generation: string;
}

/** Events that add to an artifact. */
interface Range {
  readonly start: number;
  last: number;
  isComplete: boolean;
}

interface ShownTimeline {
  readonly generation: number;
  /** Maximum number of timeline entries. */
  readonly entries: number;
  /** Maximum number of messages of the history; unset: all. */
  readonly messages?: number | undefined;
}

/**
 * The timeline of a task, from its events and its history. Clients' messages are not events: a message for which the
 * task waited has the generation of the status to which it led, a message during a turn that of the status before.
 */
export class Timeline {
  readonly #task: Task;
  readonly #history: readonly Message[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #entries: TimelineEntry[] = [];
  readonly #ranges = new Map<string, Range>();
  /** The first message of the history that is not yet in the timeline. */
  #next = 0;
  /** Generation of the last status. */
  #last = 1;
  #seen = 0;

  /** @param task with its whole history */
  constructor(task: Task) {
    this.#task = task;
    this.#history = task.history ?? [];
    this.#positions = new Map(this.#history.map(({ messageId }, i) => [messageId, i]));
  }

  apply({ kind, seq, json }: FeedItem): void {
    // The current task replaces events that are no longer stored.
    if (kind === 'task' || seq !== this.#seen + 1) return;
    this.#seen = seq;
    const { statusUpdate, artifactUpdate }: StreamResponse = JSON.parse(json.toString());
    if (artifactUpdate) this.#addToArtifact(artifactUpdate, seq);
    if (statusUpdate) this.#addStatus(statusUpdate.status, seq);
  }

  /** The task with the latest entries and messages. Without all events up to its generation there is no timeline. */
  shown({ generation, entries, messages = Number.POSITIVE_INFINITY }: ShownTimeline): object {
    const { history: _, artifacts, ...task } = this.#task;
    const history = messages === 0 ? [] : this.#history.slice(-messages);
    const shown = { ...task, ...(artifacts && { artifacts }), ...(history.length > 0 && { history }) };
    if (this.#seen !== generation) return shown;
    this.#addMessages(this.#history.length, this.#last);
    const ranged = artifacts && { artifacts: artifacts.map((artifact) => this.#withRange(artifact)) };
    return { ...shown, ...ranged, timeline: this.#entries.slice(-entries) };
  }

  #addStatus(status: TaskStatus, seq: number): void {
    const position = status.message && this.#positions.get(status.message.messageId);
    if (position !== undefined && position >= this.#next) {
      this.#addMessages(position, this.#last);
      this.#next = position + 1;
    } else if (status.state === 'TASK_STATE_SUBMITTED') this.#addMessages(this.#next + 1, seq);
    this.#entries.push({ status, generation: String(seq) });
    this.#last = seq;
  }

  /** The clients' messages up to a place in the history. */
  #addMessages(end: number, seq: number): void {
    for (const message of this.#history.slice(this.#next, end)) {
      // The agent's messages are in its statuses.
      if (message.role !== 'ROLE_USER') return;
      this.#entries.push({ message, generation: String(seq) });
      this.#next++;
    }
  }

  #addToArtifact({ artifact: { artifactId }, lastChunk = false }: TaskArtifactUpdateEvent, seq: number): void {
    const range = this.#ranges.get(artifactId);
    if (!range) this.#ranges.set(artifactId, { start: seq, last: seq, isComplete: lastChunk });
    else {
      range.last = seq;
      range.isComplete = lastChunk;
    }
  }

  #withRange(artifact: Artifact): object {
    const range = this.#ranges.get(artifact.artifactId);
    if (!range) return artifact;
    const isComplete = range.isComplete || isTerminal(this.#task.status.state);
    const end = isComplete && { endGeneration: String(range.last) };
    return { ...artifact, startGeneration: String(range.start), ...end };
  }
}
