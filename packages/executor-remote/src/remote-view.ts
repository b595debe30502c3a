import type { Outcome, Turn } from '@switchyard/agent';
import { Mirror, noContext, StableIds } from '@switchyard/executor-sdk';
import { isInterrupted, type Metadata, type StreamResponse, type TaskStatus, usageUri } from '@switchyard/protocol';
import { z } from 'zod';
import { rememberRemoteContext } from './outgoing-message.ts';
import { foreignMetadata, type RemoteLink } from './remote-link.ts';

const amount = z.int().min(0).optional();
const usageSchema = z.object({
  total: z.object({
    inputTokens: amount,
    outputTokens: amount,
    cachedTokens: amount,
    reasoningTokens: amount,
    calls: amount,
    unpricedCalls: amount.default(0),
    microUsd: amount.default(0),
  }),
});

/** Mirrors the remote task into the turn, and stores the link to it. */
export class RemoteView {
  readonly #turn: Turn;
  readonly #link: RemoteLink;
  readonly #ids: StableIds;
  readonly #mirror: Mirror;
  #last: TaskStatus | undefined;

  constructor(turn: Turn, link: RemoteLink) {
    this.#turn = turn;
    this.#link = link;
    this.#ids = new StableIds(turn);
    this.#mirror = new Mirror(turn, this.#ids);
  }

  /** Set once the end of the remote task, or its question, is this turn's outcome. */
  get outcome(): Outcome | undefined {
    return this.#mirror.outcome;
  }

  get waitsForAuth(): boolean {
    return this.#last?.state === 'TASK_STATE_AUTH_REQUIRED';
  }

  async show(event: StreamResponse): Promise<void> {
    if (event.message) return this.#mirror.reply(event.message);
    await this.#arrived(event.task ?? event.statusUpdate ?? event.artifactUpdate);
    if (event.artifactUpdate) return this.#mirror.artifact(event.artifactUpdate);
    if (event.task) await this.#mirror.content(event.task);
    const { status, metadata } = event.task ?? event.statusUpdate;
    await this.#status(status, metadata);
  }

  /** Call it when the remote agent starts this turn again: new artifacts replace those of its first run. */
  restart(): void {
    this.#ids.restart();
  }

  async #arrived(of: { id: string; contextId?: string } | { taskId: string; contextId: string }): Promise<void> {
    const contextId = of.contextId === noContext ? undefined : of.contextId;
    const kept = this.#link.arrived('id' in of ? of.id : of.taskId, contextId);
    if (!kept) return;
    await this.#mirror.status({ state: 'TASK_STATE_WORKING' }, kept);
    if (contextId !== undefined) await rememberRemoteContext(this.#turn, contextId);
  }

  async #status(status: TaskStatus, metadata: Metadata | undefined): Promise<void> {
    if (this.#link.isAnswered(status)) return;
    this.#last = status;
    await this.#count(metadata);
    const kept = { ...foreignMetadata(metadata), ...(isInterrupted(status.state) && this.#link.asks(status)) };
    await this.#mirror.status(status, Object.keys(kept).length > 0 ? kept : undefined);
  }

  /** What the remote agent says that its task has used so far (docs/extensions/usage.md). */
  async #count(metadata: Metadata | undefined): Promise<void> {
    const { taskId } = this.#link;
    const { data } = usageSchema.safeParse(metadata?.[usageUri]);
    if (data && taskId !== undefined) await this.#turn.usage({ model: 'remote', key: taskId, calls: 0, ...data.total });
  }
}
