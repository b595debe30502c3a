import type { Turn } from '@switchyard/agent';
import { type Metadata, type TaskStatus, usageUri } from '@switchyard/protocol';
import { z } from 'zod';

const key = 'switchyard.remote';

const linkSchema = z.object({
  taskId: z.string(),
  contextId: z.string().optional(),
  /** The last message that the remote agent has received. */
  messageId: z.string(),
  /** The message that created its task. */
  begunBy: z.string(),
  /** Identifies the last status in which the agent waited. */
  asked: z.string().optional(),
});
type Link = z.infer<typeof linkSchema>;

/** Links a task to the remote agent's task. Stored in the task's metadata, so it outlives the worker. */
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

  /** The remote agent has the message of this turn. */
  get isSent(): boolean {
    return this.#link?.messageId === this.#turn.message.messageId;
  }

  /** The remote task began with this turn: if it is lost, it can begin again. */
  get isBegunHere(): boolean {
    return this.#link?.begunBy === this.#turn.message.messageId;
  }

  /**
   * Call it when the message of this turn has arrived.
   * @returns the metadata to store; undefined if it is stored already
   */
  arrived(taskId: string, contextId: string | undefined): Metadata | undefined {
    const { messageId } = this.#turn.message;
    if (this.#link?.taskId === taskId && this.isSent) return undefined;
    const begunBy = this.#link?.taskId === taskId ? this.#link.begunBy : messageId;
    return this.#keep({ taskId, messageId, begunBy, ...(contextId !== undefined && { contextId }) });
  }

  /** Call it when the agent waits for its client. @returns the metadata to store */
  asks(status: TaskStatus): Metadata {
    return this.#link ? this.#keep({ ...this.#link, asked: statusKey(status) }) : {};
  }

  /** Whether the message of this turn answers this status, so that the status is not new. */
  isAnswered(status: TaskStatus): boolean {
    return this.#answered === statusKey(status);
  }

  /** Call it when the remote agent no longer knows the task. */
  lose(): void {
    this.#link = undefined;
  }

  #keep(link: Link): Metadata {
    this.#link = link;
    return { [key]: link };
  }
}

function statusKey({ state, message, timestamp }: TaskStatus): string {
  return JSON.stringify([state, message?.messageId, timestamp]);
}

/** The remote task's metadata, without keys of Switchyard, such as a link of its own, and what it has used. */
export function foreignMetadata(metadata: Metadata | undefined): Metadata {
  const isForeign = (name: string): boolean => !name.startsWith('switchyard.') && name !== usageUri;
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([name]) => isForeign(name)));
}
