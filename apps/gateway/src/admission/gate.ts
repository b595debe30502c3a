import { A2AError } from '@switchyard/protocol';
import { LRUCache } from 'lru-cache';
import { type Authentication, CredentialRefused } from '../auth/authentication.ts';
import type { Presented } from '../auth/authenticator.ts';
import type { Identity } from '../auth/identity.ts';
import type { RatedAnswer, Rates } from '../limits/rates.ts';
import type { Shares } from '../limits/shares.ts';
import { audited } from '../telemetry/audit.ts';
import type { Emit } from '../telemetry/events.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { Admission } from './admission.ts';
import type { Directions, Origins } from './origins.ts';

/** A request that has arrived, before its body is read. */
export interface Arrival extends Presented, Directions {
  /** Of the client: its own, as a trusted proxy names it. */
  readonly address: string | undefined;
  readonly requestId: string;
  /** Gets the headers of rates; unset: they are not said. */
  readonly answer?: RatedAnswer | undefined;
}

export interface GateParts {
  readonly origins: Origins;
  readonly authentication: Authentication;
  readonly shares: Shares;
  readonly rates: Rates;
  readonly emit: Emit;
}

/** The way into the gateway, the same for all bindings: where from, who asks, may they, how often. Then the body is read. */
export class Gate {
  readonly #parts: GateParts;
  readonly #signIns = new SignIns();

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** At once, if the caller is known here. Dispose of the admission when the request is over. @throws {A2AError} */
  enter(arrival: Arrival): Admission | Promise<Admission> {
    const known = this.#recall(arrival);
    return known ? this.#admit(arrival, known) : this.#identify(arrival);
  }

  #admit(arrival: Arrival, identity: Identity): Admission {
    const admission = new Admission(identity, arrival, this.#parts);
    if (this.#signIns.isFirst(admission.identity)) admission.audit({ what: 'sign-in', outcome: 'ok' });
    admission.mayAnything();
    admission.spendAny();
    return admission;
  }

  #recall(arrival: Arrival): Identity | undefined {
    const { origins, authentication, rates } = this.#parts;
    try {
      origins.require(arrival);
      rates.arrive(arrival.address, arrival.answer);
      return authentication.recall(arrival);
    } catch (thrown) {
      this.#onRefusal(arrival, thrown);
      throw thrown;
    }
  }

  async #identify(arrival: Arrival): Promise<Admission> {
    const { authentication, rates } = this.#parts;
    let identity: Identity;
    try {
      if (!authentication.hasVerified(arrival)) rates.requireFewFailures(arrival.address);
      identity = await authentication.identify(arrival);
    } catch (thrown) {
      this.#onRefusal(arrival, thrown);
      throw thrown;
    }
    return this.#admit(arrival, identity);
  }

  #onRefusal(arrival: Arrival, thrown: unknown): void {
    if (isGuess(thrown, arrival)) this.#parts.rates.failed(arrival.address);
    const outcome = toA2AError(thrown).code;
    const { message: reason, credential } = thrown instanceof CredentialRefused ? thrown : {};
    this.#parts.emit(audited({ what: 'refused', outcome, reason }, arrival, { credential }));
  }
}

/** A client that sends no credential asks what is wanted, and guesses nothing. */
export function isGuess(thrown: unknown, { headers, certificate }: Presented): boolean {
  if (!(thrown instanceof A2AError) || thrown.code !== 'Unauthenticated') return false;
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined || certificate !== undefined;
}

/** A credential that was not used for this long signs in again. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const MOST_KNOWN = 10_000;
/** The clock of the cache: with a finer one it starts a timer for almost every request. */
const CLOCK_MS = 1_000;

/** Which credentials were used here of late. */
class SignIns {
  readonly #known = new LRUCache<string, true>({ max: MOST_KNOWN, ttl: FORGOTTEN_AFTER_MS, ttlResolution: CLOCK_MS });

  /** Whether this is the first use of the caller's credential in an hour. Nobody signs in where all are anonymous. */
  isFirst({ credential, caller }: Identity): boolean {
    if (credential === 'none') return false;
    if (this.#known.has(caller)) return false;
    this.#known.set(caller, true);
    return true;
  }
}
