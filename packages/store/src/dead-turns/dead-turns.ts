import type { Message } from '@switchyard/protocol';
import type { ShardKeys } from '../redis/keys.ts';
import { agentOf, principalOf } from '../redis/principal.ts';
import { integer, list, text, tuple } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { type AcceptPort, accept } from '../tasks/accept.ts';
import type { Acceptance, Delivery } from '../tasks/submission.ts';

/** Task id, ms, owner, context as JSON text, attempts, inbox entry, reason as JSON. */
const letterReply = tuple(text, integer, text, text, integer, text, text);
type Letter = ReturnType<typeof letterReply>;
const readDeadTurnsScript = defineScript({
  file: 'read-dead-turns.lua',
  from: import.meta.url,
  keys: ['dead', 'tasksRoot'],
  args: ['most', 'taskId'],
  reply: list(letterReply),
});

/**
 * A message whose attempts are spent, by failures that the agent reported or by deaths of its workers: its task ended
 * FAILED. Kept as long as the task.
 */
export interface DeadTurn {
  readonly taskId: string;
  readonly contextId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly subject: string;
  readonly attempts: number;
  /** Why it was given up; the client has read it, too. */
  readonly reason: string;
  /** ISO time. */
  readonly diedAt: string;
  /** As the client sent it. */
  readonly message: Message;
}

/** Messages that were given up, for operators: whoever asks here is not asked who it is. */
export class DeadTurns {
  readonly #port: AcceptPort;

  constructor(port: AcceptPort) {
    this.#port = port;
  }

  /** The latest first. */
  async list(limit = 100): Promise<DeadTurn[]> {
    const replies = await Promise.all(this.#port.shards.all.map((keys) => this.#read(keys, limit)));
    return replies
      .flat()
      .sort((a, b) => b[1] - a[1])
      .slice(0, limit)
      .map(deadTurn);
  }

  /** @returns undefined: no such dead turn */
  async find(taskId: string): Promise<DeadTurn | undefined> {
    const [letter] = await this.#read(this.#port.shards.of(taskId), 1, taskId);
    return letter && deadTurn(letter);
  }

  /**
   * Sends the message again, for whom it was sent first, in the same context. A task that has ended stays ended, so a
   * new one refers to it. Done twice, it is done once. @returns undefined: no such dead turn
   */
  async redrive(taskId: string): Promise<Acceptance | undefined> {
    const [letter] = await this.#read(this.#port.shards.of(taskId), 1, taskId);
    if (!letter) return undefined;
    const [, , owner, context, , entry] = letter;
    const { message, scopes, ...asked } = deliveryIn(entry);
    const { taskId: _, ...rest } = message;
    const acceptance = await accept(
      this.#port,
      { principal: principalOf(owner, scopes), agent: agentOf(owner) },
      {
        ...asked,
        message: {
          ...rest,
          messageId: `redrive-${taskId}`,
          contextId: JSON.parse(`"${context}"`),
          referenceTaskIds: [...(message.referenceTaskIds ?? []), taskId],
        },
      },
    );
    if (acceptance.verdict === 'accepted') await this.drop(taskId);
    return acceptance;
  }

  /** Forgets it; the task stays as it is. @returns false: no such dead turn */
  async drop(taskId: string): Promise<boolean> {
    const { redis, shards } = this.#port;
    const keys = shards.of(taskId);
    const [dropped] = await Promise.all([redis.zrem(keys.dead, taskId), redis.del(`${keys.task(taskId)}:d`)]);
    return dropped > 0;
  }

  #read({ dead, tasks }: ShardKeys, most: number, taskId = ''): Promise<Letter[]> {
    return readDeadTurnsScript.run(this.#port.redis, { keys: { dead, tasksRoot: tasks }, args: { most, taskId } });
  }
}

function deadTurn([taskId, ms, owner, context, attempts, entry, reasonJson]: Letter): DeadTurn {
  const { message, scopes } = deliveryIn(entry);
  const { tenant, subject } = principalOf(owner, scopes);
  const contextId: string = JSON.parse(`"${context}"`);
  const reason: string = JSON.parse(reasonJson);
  return {
    taskId,
    contextId,
    agent: agentOf(owner),
    tenant,
    subject,
    attempts,
    reason,
    diedAt: new Date(ms).toISOString(),
    message,
  };
}

/** An inbox entry is the messageId, a line break, and what the turn is given. */
function deliveryIn(entry: string): Delivery {
  return JSON.parse(entry.slice(entry.indexOf('\n') + 1));
}
