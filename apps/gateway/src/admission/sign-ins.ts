import { LRUCache } from 'lru-cache';
import type { Identity } from '../auth/identity.ts';

/** A credential that was not used for this long signs in again. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const MOST_KNOWN = 10_000;
/** The clock of the cache: with a finer one it starts a timer for almost every request. */
const CLOCK_MS = 1_000;

/** Which credentials were used here of late. */
export class SignIns {
  readonly #known = new LRUCache<string, true>({ max: MOST_KNOWN, ttl: FORGOTTEN_AFTER_MS, ttlResolution: CLOCK_MS });

  /** Whether this is the first use of the caller's credential in an hour. Nobody signs in where all are anonymous. */
  isFirst({ credential, caller }: Identity): boolean {
    if (credential === 'none') return false;
    if (this.#known.has(caller)) return false;
    this.#known.set(caller, true);
    return true;
  }
}
