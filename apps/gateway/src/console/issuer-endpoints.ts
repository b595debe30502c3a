import { AddressPolicy, guardedClient } from '@switchyard/outgoing';
import { z } from 'zod';
import { discover } from '../auth/issuer.ts';

const MAX_AGE_MS = 10 * 60_000;
/** An issuer that is away costs one request in this time. */
const RETRY_AFTER_MS = 10_000;
const TIMEOUT_MS = 3_000;
const MOST_BYTES = 1024 * 1024;

const url = z.url({ protocol: /^https?$/ });
const metadataSchema = z.object({ authorization_endpoint: url, token_endpoint: url });

/** Where people sign in, and where the console gets its token. */
export interface Endpoints {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
}

/** The endpoints of an issuer, by OpenID Connect Discovery. */
export class IssuerEndpoints {
  readonly #issuer: string;
  #reading: Promise<Endpoints | undefined> | undefined;
  #readAgainAt = 0;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** Undefined: the issuer does not tell right now. */
  read(): Promise<Endpoints | undefined> {
    const now = performance.now();
    if (this.#reading && now < this.#readAgainAt) return this.#reading;
    this.#readAgainAt = now + MAX_AGE_MS;
    this.#reading = this.#discover().catch(() => {
      this.#readAgainAt = performance.now() + RETRY_AFTER_MS;
      return undefined;
    });
    return this.#reading;
  }

  async #discover(): Promise<Endpoints> {
    const trustedOrigins = [new URL(this.#issuer).origin];
    const policy = new AddressPolicy({ allowHttp: false, allowHosts: [], trustedOrigins });
    const client = guardedClient({ policy, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES });
    try {
      const found = metadataSchema.parse(await discover(client, this.#issuer));
      return { authorizationEndpoint: found.authorization_endpoint, tokenEndpoint: found.token_endpoint };
    } finally {
      await client.destroy();
    }
  }
}
