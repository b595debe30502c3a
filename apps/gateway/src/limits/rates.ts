import { A2AError, type Principal } from '@switchyard/protocol';
import type { Rate } from '@switchyard/settings';
import { principalKey } from '@switchyard/store';
import type { RateSettings } from '../settings/rate-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import { networkOf } from './address.ts';
import { Limiter, type Verdict } from './limiter.ts';

/** The answer to a request, which says how much of a rate is left. */
export interface RatedAnswer {
  appendHeader(name: string, value: string): unknown;
}

/** The log names an address so often, at most. */
const warningRate: Rate = { count: 1, seconds: 60 };

/** How often clients may ask. Each gateway counts for itself. */
export class Rates {
  readonly #ofPrincipals: ReadonlyMap<string, NamedLimit>;
  readonly #ofAddresses: NamedLimit | undefined;
  readonly #failures: Limiter | undefined;
  readonly #warnings = new Limiter(warningRate);
  readonly #emit: Emit;

  constructor({ perPrincipal, ofKind, perAddress, failedAuthPerAddress }: RateSettings, emit: Emit) {
    const limits = Object.entries({ all: perPrincipal, ...ofKind });
    this.#ofPrincipals = new Map(
      limits.flatMap(([name, rate]) => (rate === 'off' ? [] : [[name, new NamedLimit(name, rate)]])),
    );
    this.#ofAddresses = perAddress === 'off' ? undefined : new NamedLimit('address', perAddress);
    this.#failures = failedAuthPerAddress === 'off' ? undefined : new Limiter(failedAuthPerAddress);
    this.#emit = emit;
  }

  /** Counts a request of any client. @throws {A2AError} RateLimited */
  arrive(address: string | undefined, answer?: RatedAnswer): void {
    this.#ofAddresses?.take(networkName(address), answer);
  }

  /** Call it before a credential is looked at that is not known yet. @throws {A2AError} RateLimited */
  requireFewFailures(address: string | undefined): void {
    const network = networkName(address);
    const verdict = this.#failures?.peek(network);
    if (!verdict || verdict.isAllowed) return;
    if (this.#warnings.take(network).isAllowed) this.#emit({ kind: 'credentials-guessed', address: network });
    throw tooOften('failed-auth', verdict);
  }

  /** A credential was wrong. */
  failed(address: string | undefined): void {
    this.#failures?.take(networkName(address));
  }

  /**
   * Counts a request of a principal.
   * @param kind `all`, or the scope that it takes; one without a rate is not counted
   * @throws {A2AError} RateLimited
   */
  spend(principal: Principal, kind: string, answer?: RatedAnswer): void {
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

  /** The answer gets the headers of draft-ietf-httpapi-ratelimit-headers-10. @throws {A2AError} RateLimited */
  take(key: string, answer: RatedAnswer | undefined): void {
    const verdict = this.#limiter.take(key);
    answer?.appendHeader('RateLimit-Policy', this.#policy);
    answer?.appendHeader('RateLimit', `"${this.#name}";r=${verdict.remaining};t=${verdict.seconds}`);
    if (!verdict.isAllowed) throw tooOften(this.#name, verdict);
  }
}

function tooOften(limit: string, { seconds }: Verdict): A2AError {
  return new A2AError('RateLimited', 'Too many requests', { retryAfterSeconds: seconds, metadata: { limit } });
}
