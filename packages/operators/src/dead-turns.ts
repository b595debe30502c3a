import type { Message } from '@switchyard/protocol';
import {
  type AcceptDependencies,
  accept,
  agentOf,
  type InboxEntry,
  principalOf,
  type ShardKeys,
} from '@switchyard/store/inside';
import { type CurrentReason, currentReason } from './current-reason.ts';
import type { DeadLetterHead, DeadLetterStore, RetryResult } from './dead-letter.ts';

/**
 * A message whose attempts are spent, because the agent failed or its workers died. Its task has ended FAILED, with the
 * reason as its message.
 */
export interface DeadTurn extends DeadLetterHead {
  readonly kind: 'turn';
  readonly contextId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly subject: string;
  /** Of the request that brought the message. */
  readonly requestId?: string;
  /** As the client sent it. */
  readonly message: Message;
  /** Why its last attempt failed. `reason` is what its client was told. */
  readonly why?: CurrentReason;
}

/** A dead turn as it is stored, with the inbox entry of its message. */
interface StoredTurn {
  readonly diedMs: number;
  readonly owner: string;
  readonly contextId: string;
  readonly attempts: number;
  readonly inboxEntry: InboxEntry;
  readonly reason: string;
  readonly why: CurrentReason | undefined;
}

export class DeadTurns implements DeadLetterStore<DeadTurn> {
  readonly #dependencies: AcceptDependencies;

  constructor(dependencies: AcceptDependencies) {
    this.#dependencies = dependencies;
  }

  index({ dead }: ShardKeys): string {
    return dead;
  }

  async get(taskId: string): Promise<DeadTurn | undefined> {
    const stored = await this.#read(taskId);
    if (!stored) return undefined;
    const { owner, diedMs, contextId, attempts, reason, inboxEntry, why } = stored;
    const { tenant, subject } = principalOf(owner, inboxEntry.scopes);
    const { message, requestId } = inboxEntry;
    const head = { id: taskId, taskId, attempts, reason, diedAt: new Date(diedMs).toISOString() };
    const known = { contextId, agent: agentOf(owner), tenant, subject, message };
    return { kind: 'turn', ...head, ...known, ...(requestId !== undefined && { requestId }), ...(why && { why }) };
  }

  /**
   * Sends the message again for its principal, in the same context. A task that has ended stays ended, so a new task is
   * created, which refers to it. No turn waits for the new task, even if an agent had sent the message. Idempotent.
   */
  async retry(taskId: string): Promise<RetryResult> {
    const stored = await this.#read(taskId);
    if (!stored) return { verdict: 'missing' };
    const { message, scopes, caller: _caller, ...given } = stored.inboxEntry;
    const { taskId: _, ...rest } = message;
    const acceptance = await accept(
      this.#dependencies,
      { principal: principalOf(stored.owner, scopes), agent: agentOf(stored.owner) },
      {
        ...given,
        message: {
          ...rest,
          messageId: `retry-${taskId}`,
          contextId: stored.contextId,
          referenceTaskIds: [...(message.referenceTaskIds ?? []), taskId],
        },
      },
    );
    if (acceptance.verdict !== 'accepted') return { verdict: 'refused', why: acceptance.verdict };
    await this.delete(taskId);
    return { verdict: 'retried', taskId: acceptance.taskId };
  }

  async delete(taskId: string): Promise<boolean> {
    const { redis, shards } = this.#dependencies;
    const keys = shards.of(taskId);
    const [deleted] = await Promise.all([redis.zrem(keys.dead, taskId), redis.del(letterKey(keys, taskId))]);
    return deleted > 0;
  }

  async #read(taskId: string): Promise<StoredTurn | undefined> {
    const { redis, shards } = this.#dependencies;
    const keys = shards.of(taskId);
    const [diedMs, [owner, context, attempts, entry, reason], [epoch, why]] = await Promise.all([
      redis.zscore(keys.dead, taskId),
      redis.hmget(letterKey(keys, taskId), 'owner', 'context', 'attempts', 'entry', 'reason'),
      redis.hmget(keys.task(taskId), 'epoch', 'reason'),
    ]);
    // The letter may have expired, and is in the index until there is another dead letter.
    if (diedMs === null || !owner || !entry) return undefined;
    const inboxEntry = readableEntry(entry);
    return (
      inboxEntry && {
        diedMs: Number(diedMs),
        owner,
        contextId: JSON.parse(`"${context}"`),
        attempts: Number(attempts),
        inboxEntry,
        reason: JSON.parse(reason ?? '""'),
        why: currentReason(why, { state: 'TASK_STATE_FAILED', epoch: Number(epoch ?? 0), attempts: 0 }),
      }
    );
  }
}

const letterKey = (keys: ShardKeys, taskId: string): string => `${keys.task(taskId)}:d`;

/**
 * @param entry the messageId, a line break, and the inbox entry as JSON
 * @returns undefined: it is damaged, and so was given up. Other dead letters are listed nevertheless
 */
function readableEntry(entry: string): InboxEntry | undefined {
  try {
    const read: Partial<InboxEntry> = JSON.parse(entry.slice(entry.indexOf('\n') + 1));
    return read.message && { ...read, message: read.message, scopes: read.scopes ?? [] };
  } catch {
    return undefined;
  }
}
