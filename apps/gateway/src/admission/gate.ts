import { A2AError } from '@switchyard/protocol';
import { LRUCache } from 'lru-cache';
import { type Authentication, CredentialRefused } from '../auth/authentication.ts';
import type { PresentedCredentials } from '../auth/authenticator.ts';
import type { Identity } from '../auth/identity.ts';
import type { LimitedResources } from '../limits/limited-resources.ts';
import type { RatedAnswer, Rates } from '../limits/rates.ts';
import { audited } from '../telemetry/audit.ts';
import type { Emit } from '../telemetry/events.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { Admission } from './admission.ts';
import type { Origins, RequestOrigin } from './origins.ts';

/** A request before its body is read. */
export interface IncomingRequest extends PresentedCredentials, RequestOrigin {
  /** The client's address, as a trusted proxy reports it. */
  readonly address: string | undefined;
  readonly requestId: string;
  /** Receives the rate limit headers; unset: they are not sent. */
  readonly answer?: RatedAnswer | undefined;
}

export interface GateDependencies {
  readonly origins: Origins;
  readonly authentication: Authentication;
  readonly resources: LimitedResources;
  readonly rates: Rates;
  readonly emit: Emit;
}

/** Admits requests of all bindings: checks origin, credential, permission and rate. The body is read afterwards. */
export class Gate {
  readonly #dependencies: GateDependencies;
  readonly #signIns = new SignIns();

  constructor(dependencies: GateDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Synchronous if the caller is in the cache. Dispose of the admission when the request is over. @throws {A2AError}
   */
  admit(request: IncomingRequest): Admission | Promise<Admission> {
    const known = this.#cachedIdentity(request);
    return known ? this.#createAdmission(request, known) : this.#identify(request);
  }

  /** For what anybody may read, but no foreign page. @throws {A2AError} PermissionDenied */
  requireHost(request: IncomingRequest): void {
    this.#check(request, () => this.#dependencies.origins.requireHost(request.host));
  }

  /**
   * For who has a secret in the path, and no credential.
   * @param secret it has its own rate
   * @throws {A2AError} PermissionDenied, RateLimited
   */
  admitAnyone(request: IncomingRequest, secret: string): void {
    const { origins, rates } = this.#dependencies;
    this.#check(request, () => {
      origins.requireHost(request.host);
      rates.arrive(request.address, request.answer);
      rates.requireFewFailures(request.address);
      rates.calledBack(secret, request.answer);
    });
  }

  /** Call it when the secret was wrong. */
  countGuess({ address }: IncomingRequest): void {
    this.#dependencies.rates.failed(address);
  }

  #createAdmission(request: IncomingRequest, identity: Identity): Admission {
    const admission = new Admission(identity, request, this.#dependencies);
    if (this.#signIns.isFirst(admission.identity)) admission.audit({ what: 'sign-in', outcome: 'ok' });
    admission.requireAnyPermission();
    admission.consumeTotal();
    return admission;
  }

  #cachedIdentity(request: IncomingRequest): Identity | undefined {
    const { origins, authentication, rates } = this.#dependencies;
    return this.#check(request, () => {
      origins.require(request);
      rates.arrive(request.address, request.answer);
      return authentication.cachedIdentity(request);
    });
  }

  async #identify(request: IncomingRequest): Promise<Admission> {
    const { authentication, rates } = this.#dependencies;
    const identity = await this.#check(request, () => {
      if (!authentication.hasVerified(request)) rates.requireFewFailures(request.address);
      return authentication.identify(request).catch((thrown: unknown) => this.#refuse(request, thrown));
    });
    return this.#createAdmission(request, identity);
  }

  /** Reports the refusal of a check, which throws it. */
  #check<T>(request: IncomingRequest, check: () => T): T {
    try {
      return check();
    } catch (thrown) {
      return this.#refuse(request, thrown);
    }
  }

  /** Reports a refusal, and throws it. */
  #refuse(request: IncomingRequest, thrown: unknown): never {
    if (isGuess(thrown, request)) this.#dependencies.rates.failed(request.address);
    const { code: outcome, message } = toA2AError(thrown);
    const { credential } = thrown instanceof CredentialRefused ? thrown : {};
    const reason = thrown instanceof CredentialRefused || outcome === 'PermissionDenied' ? message : undefined;
    this.#dependencies.emit(audited({ what: 'refused', outcome, reason }, request, { credential }));
    throw thrown;
  }
}

/** A client without a credential asks for the challenge; it does not guess. */
export function isGuess(thrown: unknown, { headers, certificate }: PresentedCredentials): boolean {
  if (!(thrown instanceof A2AError) || thrown.code !== 'Unauthenticated') return false;
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined || certificate !== undefined;
}

/** After this time without use, the use of a credential counts as a new sign-in. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const MAX_CACHED = 10_000;
/** The clock of the cache: a finer one would start a timer for almost every request. */
const CLOCK_MS = 1_000;

/** Recently used credentials. */
class SignIns {
  readonly #cache = new LRUCache<string, true>({ max: MAX_CACHED, ttl: FORGOTTEN_AFTER_MS, ttlResolution: CLOCK_MS });

  /** Whether this is the first use of the credential in an hour. Anonymous callers do not sign in. */
  isFirst({ credential, caller }: Identity): boolean {
    if (credential === 'none') return false;
    if (this.#cache.has(caller)) return false;
    this.#cache.set(caller, true);
    return true;
  }
}
