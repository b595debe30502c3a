import { type DeadLetterDetails, type PushDependencies, parseCursor, webhookKeys } from '@switchyard/push';
import { defineScript, word } from '@switchyard/redis';
import { parseDeliveryQueue, type ShardKeys } from '@switchyard/store/inside';
import type { DeadLetterHead, DeadLetterStore, RetryResult } from './dead-letter.ts';

const retryScript = defineScript({
  file: 'retry-dead-webhook.lua',
  from: import.meta.url,
  keys: webhookKeys,
  args: ['taskId', 'number'],
  reply: word('retried', 'unknown'),
});
const deleteScript = defineScript({
  file: 'delete-dead-webhook.lua',
  from: import.meta.url,
  keys: webhookKeys,
  args: ['taskId', 'number'],
  reply: word('deleted', 'unknown'),
});

/** A webhook to which deliveries were given up. */
export interface DeadWebhook extends DeadLetterHead, DeadLetterDetails {
  readonly kind: 'webhook';
  /** Number of the last event that it received. */
  readonly lastSeq: number;
}

export class DeadWebhooks implements DeadLetterStore<DeadWebhook> {
  readonly #dependencies: Pick<PushDependencies, 'redis' | 'shards'>;

  constructor(dependencies: Pick<PushDependencies, 'redis' | 'shards'>) {
    this.#dependencies = dependencies;
  }

  index({ deadPush }: ShardKeys): string {
    return deadPush;
  }

  async get(id: string): Promise<DeadWebhook | undefined> {
    const { redis, shards } = this.#dependencies;
    const { taskId, number } = parseDeliveryQueue(id);
    const keys = shards.of(taskId);
    const [diedMs, [details, cursor]] = await Promise.all([
      redis.zscore(keys.deadPush, id),
      redis.hmget(keys.webhooks(taskId).webhooks, `${number}:dead`, `${number}:cursor`),
    ]);
    if (diedMs === null || !details || !cursor) return undefined;
    const letter: DeadLetterDetails = JSON.parse(details);
    const diedAt = new Date(Number(diedMs)).toISOString();
    return { kind: 'webhook', id, taskId, ...letter, diedAt, lastSeq: parseCursor(cursor).seq };
  }

  /** Resumes the deliveries where they stopped, in order. */
  async retry(id: string): Promise<RetryResult> {
    const verdict = await retryScript.run(this.#dependencies.redis, this.#call(id));
    return verdict === 'retried' ? { verdict, taskId: parseDeliveryQueue(id).taskId } : { verdict: 'missing' };
  }

  async delete(id: string): Promise<boolean> {
    return (await deleteScript.run(this.#dependencies.redis, this.#call(id))) === 'deleted';
  }

  #call(id: string) {
    const { taskId, number } = parseDeliveryQueue(id);
    return { keys: this.#dependencies.shards.of(taskId).webhooks(taskId), args: { taskId, number } };
  }
}
