import { setTimeout as delay } from 'node:timers/promises';
import { defineScript, nothing, type RedisConnection, toError, waitingConnection } from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';

export const interruptScript = defineScript({
  file: 'interrupt-wait.lua',
  from: import.meta.url,
  keys: ['interrupt'],
  args: ['keptMs'],
  reply: nothing,
});

/** How long Redis lets a process wait for a marker. Each end costs a command, and finds a dead connection. */
const WAIT_S = 10;
/** A wait that has not ended this long after its time has a dead connection. */
const LATE_MS = 1_000;
const RETRY_MS = 200;
/** A marker that was set before the wait, within a round trip: others probably are, too. */
const AT_ONCE_MS = 1;
/** How long the next wait is put off for a queue whose jobs are being taken. */
const HOLD_MS = 50;

/** A queue, or other work of a shard, whose marker wakes one process. */
export interface Marked {
  readonly marker: string;
  /** Wakes another process, because this one does not wait any more. */
  readonly wakeNext: () => Promise<void>;
}

/** The wake-ups of a process: one connection per shard waits for the markers of all its queues. */
export class WakeUps {
  readonly #shards = new Map<ShardKeys, ShardWakeUps>();
  readonly #redis: RedisConnection;
  readonly #processId: string;
  readonly #onError: (error: Error) => void;

  constructor(redis: RedisConnection, processId: string, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#processId = processId;
    this.#onError = onError;
  }

  /** Call `close` on the result. */
  open(keys: ShardKeys, marked: Marked): WakeUp {
    const interrupt = `${keys.queues}:@interrupt:${this.#processId}`;
    const shard = this.#shards.get(keys) ?? new ShardWakeUps(this.#redis, interrupt, this.#onError);
    this.#shards.set(keys, shard);
    return new WakeUp(shard, marked);
  }

  /** Ends the wait for this marker, if this process waits for it: there is a job, although its wake-up was lost. */
  wake(keys: ShardKeys, marker: string): void {
    this.#shards.get(keys)?.wake(marker);
  }
}

/** The wake-ups of one queue on one shard. */
export class WakeUp {
  readonly #shard: ShardWakeUps;
  readonly #marked: Marked;
  #isMissed = false;

  constructor(shard: ShardWakeUps, marked: Marked) {
    this.#shard = shard;
    this.#marked = marked;
    shard.add(marked);
  }

  /**
   * Resolves when there may be a job.
   * @param ms after which it resolves in any case; unset: never
   * @returns whether this process alone was woken
   */
  async wait(ms?: number): Promise<boolean> {
    if (!this.#isMissed) return this.#shard.wait(this.#marked.marker, ms);
    this.#isMissed = false;
    this.leave();
    return false;
  }

  /** Ends the wait, or else the next one at once: jobs that could not be taken can be now. */
  wake(): void {
    this.#isMissed = !this.#shard.wake(this.#marked.marker);
  }

  /** Call it after a wait, if there is no other one for now. */
  leave(): void {
    this.#shard.leave(this.#marked.marker);
  }

  get isOpen(): boolean {
    return this.#shard.has(this.#marked);
  }

  /** Ends a wait. */
  close(): void {
    this.#shard.remove(this.#marked.marker);
  }
}

/** A BZPOPMIN that has no reply yet. */
interface Wait {
  readonly markers: ReadonlySet<string>;
  readonly since: number;
  isInterrupted: boolean;
}

/**
 * Waits for the markers of one shard, on a connection of its own. One command waits for all queues that have a free
 * slot; when one is added, it is interrupted. After a wake-up the next wait begins when that queue waits again or has
 * left, so that usually there is one wait per wake-up.
 */
class ShardWakeUps {
  readonly #redis: RedisConnection;
  readonly #interrupt: string;
  readonly #onError: (error: Error) => void;
  #connection: RedisConnection | undefined;
  /** By marker. */
  readonly #marked = new Map<string, Marked>();
  /** By marker. Redis takes the first one that is set: the one that was served last comes last. */
  readonly #waiting = new Map<string, (isWoken: boolean) => void>();
  #wait: Wait | undefined;
  /** The marker of the queue whose jobs are being taken. */
  #held: string | undefined;
  #holdTimer: NodeJS.Timeout | undefined;
  #isChanging = false;

  constructor(redis: RedisConnection, interrupt: string, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#interrupt = interrupt;
    this.#onError = onError;
  }

  add(marked: Marked): void {
    this.#marked.set(marked.marker, marked);
  }

  has(marked: Marked): boolean {
    return this.#marked.get(marked.marker) === marked;
  }

  /** @returns false: this process does not wait for it */
  wake(marker: string): boolean {
    return this.#end(marker, false);
  }

  remove(marker: string): void {
    this.#marked.delete(marker);
    this.#end(marker, false);
    this.leave(marker);
    if (this.#marked.size > 0) return;
    this.#wait = undefined;
    this.#connection?.disconnect();
    this.#connection = undefined;
  }

  async wait(marker: string, ms: number | undefined): Promise<boolean> {
    if (!this.#marked.has(marker)) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.set(marker, resolve);
    this.leave(marker);
    const timer = ms === undefined ? undefined : setTimeout(() => this.#end(marker, false), ms);
    const isWoken = await promise;
    clearTimeout(timer);
    return isWoken;
  }

  /** @returns false: this process does not wait for it */
  #end(marker: string, isWoken: boolean): boolean {
    const end = this.#waiting.get(marker);
    this.#waiting.delete(marker);
    end?.(isWoken);
    return end !== undefined;
  }

  leave(marker: string): void {
    if (this.#held === marker) this.#endHold();
    this.#change();
  }

  #endHold(): void {
    clearTimeout(this.#holdTimer);
    this.#held = undefined;
  }

  /** Queues that begin to wait together are waited for together. */
  #change(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    setImmediate(() => {
      this.#isChanging = false;
      this.#update();
    });
  }

  #update(): void {
    if (this.#waiting.size === 0 || this.#held !== undefined) return;
    if (!this.#wait) return void this.#begin(new Set(this.#waiting.keys()));
    const { markers, isInterrupted } = this.#wait;
    if (isInterrupted || [...this.#waiting.keys()].every((marker) => markers.has(marker))) return;
    this.#wait.isInterrupted = true;
    const call = { keys: { interrupt: this.#interrupt }, args: { keptMs: WAIT_S * 1_000 } };
    interruptScript.run(this.#redis, call).catch((error: unknown) => this.#onError(toError(error)));
  }

  async #begin(markers: ReadonlySet<string>): Promise<void> {
    const wait: Wait = { markers, since: performance.now(), isInterrupted: false };
    this.#wait = wait;
    const late = setTimeout(() => this.#replace(), WAIT_S * 1_000 + LATE_MS);
    try {
      const [marker] = (await this.#connect().bzpopmin(this.#interrupt, ...markers, WAIT_S)) ?? [];
      if (this.#wait !== wait) return;
      this.#wait = undefined;
      if (marker !== undefined && marker !== this.#interrupt) this.#woken(marker, performance.now() - wait.since);
    } catch (error) {
      if (this.#wait !== wait) return;
      this.#onError(toError(error));
      await delay(RETRY_MS);
      if (this.#wait !== wait) return;
      this.#wait = undefined;
    } finally {
      clearTimeout(late);
    }
    this.#change();
  }

  #woken(marker: string, waitedMs: number): void {
    if (!this.#end(marker, true)) return void this.#marked.get(marker)?.wakeNext().catch(this.#onError);
    if (waitedMs < AT_ONCE_MS) return;
    this.#held = marker;
    this.#holdTimer = setTimeout(() => this.leave(marker), HOLD_MS);
  }

  /** The connection is dead: all that wait look for jobs. */
  #replace(): void {
    this.#wait = undefined;
    this.#connection?.disconnect();
    this.#connection = undefined;
    for (const marker of [...this.#waiting.keys()]) this.#end(marker, false);
    this.#change();
  }

  #connect(): RedisConnection {
    this.#connection ??= waitingConnection(this.#redis).on('error', this.#onError);
    return this.#connection;
  }
}
