import type { RedisConnection } from '../redis/connection.ts';
import { integer, tuple } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';

const loadScript = defineScript({
  file: 'load.lua',
  from: import.meta.url,
  keys: ['root'],
  args: [],
  reply: tuple(integer, integer, integer, integer, integer, integer),
});

/** How often a queue is looked at while messages come for it. */
const EVERY_MS = 100;
/** Jobs that may wait in a queue of which nothing is known. */
const FIRST = 16;
const LONGEST_RETRY_S = 60;
/** How long the most jobs that ran at once count, when fewer do. */
const REMEMBERED_MS = 60_000;

export interface LoadLimits {
  /** How long a message may wait for its turn, in ms; Infinity: as long as it takes. */
  readonly maxWaitMs: number;
  /** Jobs that may wait in a queue whatever its speed; 0: any number. */
  readonly maxWaiting: number;
}

/** What one look at a queue says about it. */
export interface QueueLook {
  readonly waiting: number;
  readonly active: number;
  /** Ever. */
  readonly came: number;
  /** Ever. */
  readonly began: number;
  readonly ageMs: number;
  readonly atMs: number;
}

/**
 * How many messages may wait for an agent, so that none waits longer than `maxWaitMs`: as many as its workers have
 * lately begun in that time. The number goes with each message to the script that takes it, so that no burst between
 * two looks gets past it.
 */
export class QueueLoads {
  readonly #redis: RedisConnection;
  readonly #limits: LoadLimits;
  readonly #loads = new Map<string, QueueLoad>();

  constructor(redis: RedisConnection, limits: LoadLimits) {
    this.#redis = redis;
    this.#limits = limits;
  }

  /** Jobs that may wait in this queue; 0: any number. @param root of its keys */
  mostWaiting(root: string): number {
    const { maxWaitMs, maxWaiting } = this.#limits;
    if (maxWaitMs === Number.POSITIVE_INFINITY) return maxWaiting;
    const most = this.#load(root).mostWaiting;
    return maxWaiting === 0 ? most : Math.min(most, maxWaiting);
  }

  /** When what waits in this queue will have begun, as far as it was looked at before. */
  async retryAfterSeconds(root: string): Promise<number> {
    const load = this.#load(root);
    await load.isKnown;
    return load.retryAfterSeconds;
  }

  async look(root: string): Promise<QueueLook> {
    const looked = await loadScript.run(this.#redis, { keys: { root }, args: {} });
    const [waiting, active, came, removed, ageMs, atMs] = looked;
    return { waiting, active, came, began: came - removed - waiting, ageMs, atMs };
  }

  #load(root: string): QueueLoad {
    const known = this.#loads.get(root) ?? new QueueLoad(this.#limits.maxWaitMs);
    this.#loads.set(root, known);
    if (known.isDue) known.isKnown = known.update(() => this.look(root));
    return known;
  }
}

/** What is known of one queue. */
class QueueLoad {
  /** Once the last look at it has answered. */
  isKnown: Promise<void> = Promise.resolve();
  readonly #maxWaitMs: number;
  readonly #averagedOverMs: number;
  #last: QueueLook | undefined;
  /** Jobs that begin in a second; undefined: it was looked at once at most. */
  #rate: number | undefined;
  /** That lately ran at once. */
  #mostActive = 0;
  #mostWaiting = FIRST;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
    this.#averagedOverMs = maxWaitMs === Number.POSITIVE_INFINITY ? 1_000 : Math.max(1_000, maxWaitMs);
  }

  get isDue(): boolean {
    return performance.now() - this.#lookedAt >= EVERY_MS;
  }

  get mostWaiting(): number {
    return this.#mostWaiting;
  }

  get retryAfterSeconds(): number {
    if (this.#rate === undefined) return 1;
    return Math.min(LONGEST_RETRY_S, Math.max(1, Math.ceil((this.#last?.waiting ?? 0) / this.#rate)));
  }

  /** While Redis does not answer, the last number stays. */
  async update(look: () => Promise<QueueLook>): Promise<void> {
    this.#lookedAt = performance.now();
    try {
      this.#learn(await look());
    } catch {
      // The message itself meets the same outage, and its caller hears of it.
    }
  }

  #learn(look: QueueLook): void {
    const before = this.#last;
    this.#last = look;
    const remembered = before ? Math.exp((before.atMs - look.atMs) / REMEMBERED_MS) : 0;
    this.#mostActive = Math.max(look.active, this.#mostActive * Math.min(1, remembered));
    const wasBusy = before !== undefined && before.waiting > 0 && look.waiting > 0;
    if (before && look.atMs > before.atMs) this.#average(look.began - before.began, look.atMs - before.atMs);
    this.#mostWaiting = wasBusy ? this.#bearable(look) : this.#idle();
  }

  #average(began: number, ms: number): void {
    const weight = 1 - Math.exp(-ms / this.#averagedOverMs);
    const rate = this.#rate ?? 0;
    this.#rate = rate + weight * ((Math.max(0, began) * 1_000) / ms - rate);
  }

  /** One that waits twice as long as it may shows that the workers have slowed down: nothing more until it has begun. */
  #bearable({ ageMs }: QueueLook): number {
    return ageMs > 2 * this.#maxWaitMs ? 1 : Math.max(1, this.#inTime);
  }

  /** A queue that was empty has workers to spare, nobody knows how many: two messages for each that was seen to run. */
  #idle(): number {
    return Math.max(FIRST, Math.floor(2 * this.#mostActive), this.#inTime);
  }

  /** Jobs that begin in the allowed time. */
  get #inTime(): number {
    return Math.floor(((this.#rate ?? 0) * this.#maxWaitMs) / 1_000);
  }
}
