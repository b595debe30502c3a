import { LRUCache } from 'lru-cache';

const INTERVAL_MS = 10_000;
/** More different messages than an outage has. */
const MOST_MESSAGES = 100;

/** Limits log lines about connections: in an outage each connection repeats its error several times a second. */
export class ErrorThrottle {
  readonly #recent = new LRUCache<string, true>({ max: MOST_MESSAGES, ttl: INTERVAL_MS });

  /** True once per message in 10 s. */
  isDue(error: unknown): boolean {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#recent.has(message)) return false;
    this.#recent.set(message, true);
    return true;
  }
}
