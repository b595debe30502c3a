import type { Turn } from '@switchyard/agent';
import type { Metadata, TaskStatus } from '@switchyard/protocol';
import { z } from 'zod';

const key = 'switchyard.remote';

const linkSchema = z.object({
  taskId: z.string(),
  contextId: z.string().optional(),
  /** The last message that the other agent is known to have. */
  messageId: z.string(),
  /** The message that began its task. */
  begunBy: z.string(),
  /** Marks the status that the agent waits in, or waited in last. */
  asked: z.string().optional(),
});
type Link = z.infer<typeof linkSchema>;

/** Which task of the other agent stands behind ours. It is kept in our task's metadata, and so outlives the worker. */
export class RemoteLink {
  readonly #turn: Turn;
  readonly #answered: string | undefined;
  #link: Link | undefined;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#link = linkSchema.safeParse(turn.task.metadata?.[key]).data;
    this.#answered = this.#link?.asked;
  }

  get taskId(): string | undefined {
    return this.#link?.taskId;
  }

  get contextId(): string | undefined {
    return this.#link?.contextId;
  }

  /** The other agent has the message of this turn. */
  get isSent(): boolean {
    return this.#link?.messageId === this.#turn.message.messageId;
  }

  /** The other agent's task began with this turn: if it gets lost, it can begin again. */
  get isBegunHere(): boolean {
    return this.#link?.begunBy === this.#turn.message.messageId;
  }

  /**
   * The message of this turn has arrived, in this task.
   * @returns what is to be kept of it; undefined: it is known already
   */
  arrived(taskId: string, contextId: string | undefined): Metadata | undefined {
    const { messageId } = this.#turn.message;
    if (this.#link?.taskId === taskId && this.isSent) return undefined;
    const begunBy = this.#link?.taskId === taskId ? this.#link.begunBy : messageId;
    return this.#keep({ taskId, messageId, begunBy, ...(contextId !== undefined && { contextId }) });
  }

  /** The agent waits for its client. @returns what is to be kept of it */
  asks(status: TaskStatus): Metadata {
    return this.#link ? this.#keep({ ...this.#link, asked: markOf(status) }) : {};
  }

  /** It is the status that the message of this turn answers: nothing has happened since. */
  isAnswered(status: TaskStatus): boolean {
    return this.#answered === markOf(status);
  }

  /** The other agent knows nothing of the task any more. */
  lose(): void {
    this.#link = undefined;
  }

  #keep(link: Link): Metadata {
    this.#link = link;
    return { [key]: link };
  }
}

function markOf({ state, message, timestamp }: TaskStatus): string {
  return JSON.stringify([state, message?.messageId, timestamp]);
}

/** What another agent says of a task; its own notes of this kind are not ours. */
export function foreignMetadata(metadata: Metadata | undefined): Metadata {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([name]) => !name.startsWith('switchyard.')));
}
