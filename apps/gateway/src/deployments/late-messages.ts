import type { Shard, Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';

/** Workers are told of the end of a time to live within a second. If there is none, this gateway is next. */
const AFTER_WORKERS_MS = 1_500;
/** For messages that another gateway accepted, which is gone. */
const ALL_EVERY_MS = 30_000;

/** Rejects messages whose time to live has ended although no worker is there to do it. */
export class LateMessages {
  readonly #store: Pick<Store, 'timesToLive'>;
  readonly #emit: Emit;
  /** The next check of each shard with messages that this gateway accepted. */
  readonly #checks = new Map<Shard, { readonly atMs: number; readonly timer: NodeJS.Timeout }>();
  #interval: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store, 'timesToLive'>, emit: Emit) {
    this.#store = store;
    this.#emit = emit;
  }

  start(): void {
    this.#interval = setInterval(() => void this.#reject(), ALL_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#interval);
    this.#interval = undefined;
    for (const { timer } of this.#checks.values()) clearTimeout(timer);
    this.#checks.clear();
  }

  /** @param ttlMs of a message that was accepted now */
  follow(taskId: string, ttlMs: number): void {
    this.#checkIn(ttlMs, this.#store.timesToLive.shardOf(taskId));
  }

  #checkIn(ttlMs: number, shard: Shard): void {
    if (this.#interval === undefined) return;
    const inMs = ttlMs + AFTER_WORKERS_MS;
    const atMs = performance.now() + inMs;
    const next = this.#checks.get(shard);
    if (next && next.atMs <= atMs) return;
    clearTimeout(next?.timer);
    const check = (): void => {
      this.#checks.delete(shard);
      void this.#reject(shard);
    };
    this.#checks.set(shard, { atMs, timer: setTimeout(check, inMs) });
  }

  /** On one shard, or on all. What is not rejected now is tried again by the interval. */
  async #reject(shard?: Shard): Promise<void> {
    try {
      const { messages, errors, nextInMs } = await this.#store.timesToLive.reject(shard && [shard]);
      for (const message of messages) this.#emit({ kind: 'message-rejected', ...message });
      for (const err of errors) this.#emit({ kind: 'messages-not-rejected', err });
      if (shard && Number.isFinite(nextInMs)) this.#checkIn(nextInMs, shard);
    } catch (err) {
      this.#emit({ kind: 'messages-not-rejected', err });
    }
  }
}
