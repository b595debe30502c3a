import { A2AError, type Principal } from '@switchyard/protocol';
import type { Rate } from '@switchyard/settings';
import { principalKey } from '@switchyard/store';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../exchange/addresses.ts';
import type { RateSettings } from '../settings/limit-settings.ts';
import type { Emit } from '../telemetry/events.ts';

/** The response to a request, which gets the rate limit headers. */
export interface RatedAnswer {
  appendHeader(name: string, value: string): unknown;
}

/** Minimum time between two log lines about an address. */
const warningRate: Rate = { count: 1, seconds: 60 };

/** Rate limits for clients. Each gateway counts for itself. */
export class Rates {
  readonly #ofPrincipals: ReadonlyMap<string, NamedLimit>;
  readonly #ofCallbacks: NamedLimit | undefined;
  readonly #ofAddresses: NamedLimit | undefined;
  readonly #failures: Limiter | undefined;
  readonly #warnings = new Limiter(warningRate);
  readonly #emit: Emit;

  constructor({ perPrincipal, ofKind, perCallback, perAddress, failedAuthPerAddress }: RateSettings, emit: Emit) {
    const limits = Object.entries({ all: perPrincipal, ...ofKind });
    this.#ofPrincipals = new Map(
      limits.flatMap(([name, rate]) => (rate === 'off' ? [] : [[name, new NamedLimit(name, rate)]])),
    );
    this.#ofCallbacks = perCallback === 'off' ? undefined : new NamedLimit('callback', perCallback);
    this.#ofAddresses = perAddress === 'off' ? undefined : new NamedLimit('address', perAddress);
    this.#failures = failedAuthPerAddress === 'off' ? undefined : new Limiter(failedAuthPerAddress);
    this.#emit = emit;
  }

  /** Counts a request of any client. @throws {A2AError} RateLimited */
  arrive(address: string | undefined, answer?: RatedAnswer): void {
    this.#ofAddresses?.take(networkName(address), answer);
  }

  /** Counts an event that comes by a callback URL. @throws {A2AError} RateLimited */
  calledBack(callback: string, answer?: RatedAnswer): void {
    this.#ofCallbacks?.take(callback, answer);
  }

  /** Call it before checking an unknown credential. @throws {A2AError} RateLimited */
  requireFewFailures(address: string | undefined): void {
    const network = networkName(address);
    const verdict = this.#failures?.peek(network);
    if (!verdict || verdict.isAllowed) return;
    if (this.#warnings.take(network).isAllowed) this.#emit({ kind: 'credentials-guessed', address: network });
    throw tooOften('failed-auth', verdict);
  }

  /** Counts a wrong credential. */
  failed(address: string | undefined): void {
    this.#failures?.take(networkName(address));
  }

  /**
   * Counts a request of a principal.
   * @param kind `all`, or the scope that it needs; not counted if there is no limit for it
   * @throws {A2AError} RateLimited
   */
  consume(principal: Principal, kind: string, answer?: RatedAnswer): void {
    this.#ofPrincipals.get(kind)?.take(principalKey(principal), answer);
  }
}

function networkName(address: string | undefined): string {
  return networkOf(address) ?? '';
}

/** A limiter with its name for clients. */
class NamedLimit {
  readonly #limiter: Limiter;
  readonly #name: string;
  readonly #policy: string;

  constructor(name: string, rate: Rate) {
    this.#limiter = new Limiter(rate);
    this.#name = name;
    this.#policy = `"${name}";q=${rate.count};w=${rate.seconds}`;
  }

  /** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10. @throws {A2AError} RateLimited */
  take(key: string, answer: RatedAnswer | undefined): void {
    const verdict = this.#limiter.take(key);
    answer?.appendHeader('RateLimit-Policy', this.#policy);
    answer?.appendHeader('RateLimit', `"${this.#name}";r=${verdict.remaining};t=${verdict.seconds}`);
    if (!verdict.isAllowed) throw tooOften(this.#name, verdict);
  }
}

/** A limiter's decision about a request. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** How many more requests are allowed now. */
  readonly remaining: number;
  /** Until the whole quota is available again; if refused, until one request is. At least 1. */
  readonly seconds: number;
}

/** Maximum number of keys; the least recently used ones beyond have a full quota again. */
const MAX_KEYS = 100_000;

/**
 * Rate limiter with a quota per key (generic cell rate algorithm): the whole quota may be used at once, and refills
 * evenly. The state of a key is one number, the time at which its quota is full.
 */
export class Limiter {
  /** Made by the first request: it takes 2 MB, and most limiters of a gateway never see a request. */
  #fullAt: LRUCache<string, number> | undefined;
  readonly #count: number;
  readonly #windowMs: number;

  constructor({ count, seconds }: Rate) {
    this.#count = count;
    this.#windowMs = seconds * 1_000;
  }

  /** Counts a request if it is allowed. */
  take(key: string): Verdict {
    const now = performance.now();
    const fullAt = this.#fullAfterOne(key, now);
    const verdict = this.#judge(fullAt - now);
    if (!verdict.isAllowed) return verdict;
    this.#fullAt ??= new LRUCache({ max: MAX_KEYS });
    this.#fullAt.set(key, fullAt);
    return verdict;
  }

  /** Whether a request would be allowed. */
  peek(key: string): Verdict {
    const now = performance.now();
    return this.#judge(this.#fullAfterOne(key, now) - now);
  }

  #fullAfterOne(key: string, now: number): number {
    return Math.max(this.#fullAt?.get(key) ?? 0, now) + this.#windowMs / this.#count;
  }

  #judge(missingMs: number): Verdict {
    const leftMs = this.#windowMs - missingMs;
    // Allows for rounding errors of a nanosecond.
    const isAllowed = leftMs >= -1e-6;
    const remaining = isAllowed ? Math.max(0, Math.floor((leftMs * this.#count) / this.#windowMs + 1e-6)) : 0;
    const untilMs = isAllowed ? missingMs : -leftMs;
    return { isAllowed, remaining, seconds: Math.max(1, Math.ceil(untilMs / 1_000)) };
  }
}

function tooOften(limit: string, { seconds }: Verdict): A2AError {
  return new A2AError('RateLimited', 'Too many requests', { retryAfterSeconds: seconds, metadata: { limit } });
}
