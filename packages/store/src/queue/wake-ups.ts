import { setTimeout as delay } from 'node:timers/promises';
import { connectWithRetries, openBlocking, type RedisConnection } from '../redis/connection.ts';
import { toError } from '../redis/errors.ts';

/** A reply that is this late is not awaited any longer. */
const LATE_MS = 1_000;
/** A wait that has not ended after this time has a dead connection. */
const STUCK_AFTER_MS = 10_000;
const RETRY_MS = 200;
/** BZPOPMIN takes 0 as no limit. */
const LEAST_SECONDS = 0.001;

/** Waits for jobs of one queue, on a connection of its own: a blocking command delays those behind it. */
export class WakeUps {
  readonly #redis: RedisConnection;
  readonly #marker: string;
  readonly #interrupt: string;
  readonly #onError: (error: Error) => void;
  #connection: RedisConnection;
  /** The pending wait and its start, as performance.now(). */
  #waiting: { readonly woken: Promise<boolean>; readonly since: number } | undefined;
  #isRunning = false;
  #isClosed = false;

  /**
   * @param root of the queue's keys
   * @param taker names the fetch loop that waits, see take-jobs.lua
   */
  constructor(redis: RedisConnection, root: string, taker: string, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#marker = `${root}marker`;
    this.#interrupt = `${root}interrupt:${taker}`;
    this.#onError = onError;
    this.#connection = this.#open();
  }

  start(): Promise<void> {
    return connectWithRetries(this.#connection);
  }

  /**
   * Resolves when there may be a job, and in any case a second after `ms`, even if the connection hangs.
   * @returns whether this process alone was woken
   */
  async wait(ms: number): Promise<boolean> {
    if (this.#waiting && performance.now() - this.#waiting.since > STUCK_AFTER_MS) this.#replace();
    this.#waiting ??= { woken: this.#wait(ms), since: performance.now() };
    return (await inTime(ms, this.#waiting.woken)) ?? false;
  }

  /**
   * Redis runs the command as soon as there may be a job: both are sent together, so that the job is taken without a
   * message to this process and back.
   * @returns undefined if there was no reply in time. The command may have been executed, and is not executed later.
   */
  async waitAndRun<Reply>(
    ms: number,
    run: (connection: RedisConnection) => Promise<Reply>,
  ): Promise<Reply | undefined> {
    const connection = this.#connection;
    this.#isRunning = true;
    try {
      const replies = await inTime(ms, Promise.all([this.#sleep(ms), run(connection)]));
      if (!replies && connection === this.#connection) this.#replace();
      return replies?.[1];
    } catch (error) {
      await this.#onFailure(error);
      return undefined;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Ends `waitAndRun`: its command is executed now. */
  async interrupt(): Promise<void> {
    if (!this.#isRunning) return;
    const interrupting = this.#redis.pipeline().zadd(this.#interrupt, 0, '0').pexpire(this.#interrupt, LATE_MS);
    await interrupting.exec();
  }

  close(): void {
    this.#isClosed = true;
    this.#connection.disconnect();
  }

  async #wait(ms: number): Promise<boolean> {
    const connection = this.#connection;
    try {
      return (await this.#sleep(ms))?.[0] === this.#marker;
    } catch (error) {
      await this.#onFailure(error);
      return false;
    } finally {
      if (connection === this.#connection) this.#waiting = undefined;
    }
  }

  #sleep(ms: number): Promise<[key: string, ...entry: string[]] | null> {
    return this.#connection.bzpopmin(this.#interrupt, this.#marker, Math.max(ms / 1_000, LEAST_SECONDS));
  }

  async #onFailure(error: unknown): Promise<void> {
    if (!this.#isClosed) this.#onError(toError(error));
    await delay(RETRY_MS);
  }

  #open(): RedisConnection {
    return openBlocking(this.#redis).on('error', this.#onError);
  }

  #replace(): void {
    if (this.#isClosed) return;
    this.#connection.disconnect();
    this.#waiting = undefined;
    this.#connection = this.#open();
    this.#connection.connect().catch(this.#onError);
  }
}

/** @returns undefined when the reply is late */
async function inTime<Reply>(ms: number, reply: Promise<Reply>): Promise<Reply | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms + LATE_MS);
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
  }
}
