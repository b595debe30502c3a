import type { Authentication } from '../auth/authentication.ts';
import type { Presented } from '../auth/authenticator.ts';
import type { Identity } from '../auth/identity.ts';
import type { Shares } from '../limits/shares.ts';
import { Admission } from './admission.ts';
import type { Directions, Origins } from './origins.ts';

/** A request that has arrived, before its body is read. */
export interface Arrival extends Presented, Directions {
  /** Of the client, or of the proxy before it. */
  readonly address: string | undefined;
}

export interface GateParts {
  readonly origins: Origins;
  readonly authentication: Authentication;
  readonly shares: Shares;
}

/** The way into the gateway, the same for all bindings: where from, who asks, may they, how often. Then the body is read. */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Dispose of the admission when the request is over. @throws {A2AError} */
  async enter(arrival: Arrival): Promise<Admission> {
    this.#parts.origins.require(arrival);
    return new Admission(await this.#identify(arrival), this.#parts);
  }

  async #identify(arrival: Arrival): Promise<Identity> {
    const { authentication } = this.#parts;
    return authentication.recall(arrival) ?? authentication.identify(arrival);
  }
}
