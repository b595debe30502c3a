import { A2AError } from '@switchyard/protocol';
import type { Authentication } from '../auth/authentication.ts';
import type { Presented } from '../auth/authenticator.ts';
import type { Identity } from '../auth/identity.ts';
import type { RatedAnswer, Rates } from '../limits/rates.ts';
import type { Shares } from '../limits/shares.ts';
import type { Emit } from '../telemetry/events.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { Admission } from './admission.ts';
import type { Directions, Origins } from './origins.ts';
import { SignIns } from './sign-ins.ts';

/** A request that has arrived, before its body is read. */
export interface Arrival extends Presented, Directions {
  /** Of the client, or of the proxy before it. */
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

  /** Dispose of the admission when the request is over. @throws {A2AError} */
  async enter(arrival: Arrival): Promise<Admission> {
    const admission = new Admission(await this.#identify(arrival), arrival, this.#parts);
    if (this.#signIns.isFirst(admission.identity)) admission.audit({ what: 'sign-in', outcome: 'ok' });
    admission.mayAnything();
    this.#parts.rates.spend(admission.principal, 'all', arrival.answer);
    return admission;
  }

  async #identify(arrival: Arrival): Promise<Identity> {
    const { origins, authentication, rates } = this.#parts;
    try {
      origins.require(arrival);
      rates.arrive(arrival, arrival.answer);
      const known = authentication.recall(arrival);
      if (known) return known;
      rates.requireFewFailures(arrival);
      return await authentication.identify(arrival);
    } catch (thrown) {
      if (isGuess(thrown, arrival)) rates.failed(arrival);
      this.#auditRefusal(arrival, thrown);
      throw thrown;
    }
  }

  #auditRefusal({ address, requestId }: Arrival, thrown: unknown): void {
    const outcome = toA2AError(thrown).code;
    const event = { at: new Date().toISOString(), what: 'refused', outcome, address, requestId } as const;
    this.#parts.emit({ kind: 'audited', event });
  }
}

/** Whoever sends no credential asks what is wanted, and guesses nothing. */
function isGuess(thrown: unknown, { headers, certificate }: Arrival): boolean {
  if (!(thrown instanceof A2AError) || thrown.code !== 'Unauthenticated') return false;
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined || certificate !== undefined;
}
