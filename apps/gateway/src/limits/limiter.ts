import type { Rate } from '@switchyard/settings';
import { LRUCache } from 'lru-cache';

/** What a limiter says about one more. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** How many more there may be at once. */
  readonly remaining: number;
  /** Until the whole quota is there again; if it is not allowed, until one is. At least 1. */
  readonly seconds: number;
}

/** Of the least recently used ones beyond, the quota is full again. */
const MOST_KEYS = 100_000;

/**
 * Counts against a quota per key, by the generic cell rate algorithm: the whole quota may be used at once, and comes back evenly. A key is one number, the
 * time at which its quota is full.
 */
export class Limiter {
  readonly #fullAt = new LRUCache<string, number>({ max: MOST_KEYS });
  readonly #count: number;
  readonly #windowMs: number;

  constructor({ count, seconds }: Rate) {
    this.#count = count;
    this.#windowMs = seconds * 1_000;
  }

  /** Counts one, if that is allowed. */
  take(key: string): Verdict {
    const now = performance.now();
    const fullAt = this.#fullAfterOne(key, now);
    const verdict = this.#judge(fullAt - now);
    if (verdict.isAllowed) this.#fullAt.set(key, fullAt);
    return verdict;
  }

  /** Whether one would be allowed. */
  peek(key: string): Verdict {
    const now = performance.now();
    return this.#judge(this.#fullAfterOne(key, now) - now);
  }

  #fullAfterOne(key: string, now: number): number {
    return Math.max(this.#fullAt.get(key) ?? 0, now) + this.#windowMs / this.#count;
  }

  #judge(missingMs: number): Verdict {
    const leftMs = this.#windowMs - missingMs;
    // A nanosecond is lost in sums of fractions.
    const isAllowed = leftMs >= -1e-6;
    const remaining = isAllowed ? Math.max(0, Math.floor((leftMs * this.#count) / this.#windowMs + 1e-6)) : 0;
    const untilMs = isAllowed ? missingMs : -leftMs;
    return { isAllowed, remaining, seconds: Math.max(1, Math.ceil(untilMs / 1_000)) };
  }
}
