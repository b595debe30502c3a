import { setTimeout as delay } from 'node:timers/promises';
import { createRedisBackend, type RedisQueueBackend } from 'bullmq';
import type { RedisConnection } from '../redis/connection.ts';
import { toError } from '../redis/errors.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { queueOf } from './job.ts';

/** A wait that has not ended after this time has a dead connection. BullMQ replaces it as well, but may hang. */
const STUCK_AFTER_MS = 10_000;
const RETRY_MS = 200;

/** Waits for jobs of one queue, on a connection of its own. */
export class WakeUps {
  readonly #redis: RedisConnection;
  readonly #prefix: string;
  readonly #queue: string;
  readonly #onError: (error: Error) => void;
  #backend: RedisQueueBackend | undefined;
  /** The pending wait and its start, as performance.now(). */
  #waiting: { readonly woken: Promise<boolean>; readonly since: number } | undefined;

  constructor(redis: RedisConnection, keys: ShardKeys, agent: string, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#prefix = keys.queues;
    this.#queue = queueOf(agent);
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#backend = this.#open();
    await this.#backend.waitUntilReady();
  }

  /**
   * Resolves when there may be a job, and in any case a second after `ms`, even if the connection hangs.
   * @returns whether this process alone was woken
   */
  async wait(ms: number): Promise<boolean> {
    if (this.#waiting && performance.now() - this.#waiting.since > STUCK_AFTER_MS) this.#replace();
    this.#waiting ??= { woken: this.#wait(ms), since: performance.now() };
    let late: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      late = setTimeout(() => resolve(false), ms + 1_000);
    });
    const woken = await Promise.race([this.#waiting.woken, timeout]);
    clearTimeout(late);
    return woken;
  }

  async close(): Promise<void> {
    await this.#backend?.close(true);
  }

  #open(): RedisQueueBackend {
    const options = { connection: this.#redis, prefix: this.#prefix };
    const backend = createRedisBackend(this.#queue, options, { withBlockingConnection: true });
    return backend.on('error', this.#onError);
  }

  async #wait(ms: number): Promise<boolean> {
    const backend = this.#backend;
    try {
      const marker = await backend?.waitForJob(Math.max(ms / 1_000, backend.minimumBlockTimeout));
      return marker !== null;
    } catch (error) {
      if (!backend?.closing) this.#onError(toError(error));
      await delay(RETRY_MS);
      return false;
    } finally {
      if (backend === this.#backend) this.#waiting = undefined;
    }
  }

  #replace(): void {
    const stuck = this.#backend;
    this.#backend = this.#open();
    this.#waiting = undefined;
    stuck?.close(true).catch(this.#onError);
  }
}
