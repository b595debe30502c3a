import { AddressPolicy, type GuardedClient, guardedClient } from '@switchyard/outgoing';
import { A2AError } from '@switchyard/protocol';
import { type CryptoKey, createLocalJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { z } from 'zod';
import type { Emit } from '../telemetry/events.ts';

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

/** Keys are read again after this time, so that a removed key becomes invalid. */
const MAX_AGE_MS = 10 * 60_000;
/** How long keys stay valid while the issuer is unreachable. */
const MAX_STALE_MS = 60 * 60_000;
/** Unknown keys and an unreachable issuer cost one request in this time. */
const RETRY_AFTER_MS = 30_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

const keysUrlSchema = z.object({ jwks_uri: z.url({ protocol: /^https?$/ }) });
const keySetSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown()).and(z.object({ kty: z.string() }))) });

export interface IssuerKeysSettings {
  readonly issuer: string;
  /** Unset: found by OpenID Connect Discovery. */
  readonly jwksUrl?: string | undefined;
}

/** The keys of an issuer. `jku`, `x5u` and `jwk` in a token's header are ignored. */
export class IssuerKeys {
  readonly #settings: IssuerKeysSettings;
  readonly #client: GuardedClient;
  readonly #emit: Emit;
  #keys: LocalKeys | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(settings: IssuerKeysSettings, emit: Emit) {
    this.#settings = settings;
    this.#client = clientFor(settings);
    this.#emit = emit;
  }

  stop(): void {
    void this.#client.destroy();
  }

  /** For jose. @throws {A2AError} Unavailable: no valid keys are known */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> => {
    if (ageOf(this.#readAt) > MAX_AGE_MS) await this.#readAgain();
    try {
      return await this.#usable()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || ageOf(this.#triedAt) < RETRY_AFTER_MS) throw error;
    }
    await this.#readAgain();
    return this.#usable()(header, token);
  };

  #usable(): LocalKeys {
    if (this.#keys && ageOf(this.#readAt) <= MAX_STALE_MS) return this.#keys;
    throw new A2AError('Unavailable', 'The keys of the token issuer cannot be read now', {
      retryAfterSeconds: RETRY_AFTER_MS / 1_000,
    });
  }

  /** Resolves without new keys if the issuer is unreachable. */
  async #readAgain(): Promise<void> {
    if (!this.#reading && ageOf(this.#triedAt) < RETRY_AFTER_MS) return;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  async #read(): Promise<void> {
    this.#triedAt = performance.now();
    try {
      const keys = await readKeys(this.#client, this.#settings);
      this.#keys = createLocalJWKSet(keys);
      this.#readAt = performance.now();
      // The issuer may have withdrawn them: the ones of before are no longer valid.
      if (!canSign(keys)) this.#emit({ kind: 'issuer-without-keys', issuer: this.#settings.issuer });
    } catch (err) {
      this.#emit({ kind: 'issuer-unreadable', issuer: this.#settings.issuer, err });
    }
  }
}

type KeySet = z.infer<typeof keySetSchema>;

async function readKeys(client: GuardedClient, { issuer, jwksUrl }: IssuerKeysSettings): Promise<KeySet> {
  const url = jwksUrl ?? keysUrlSchema.parse(await discover(client, issuer)).jwks_uri;
  return keySetSchema.parse(await readJson(client, url));
}

/** Whether a token can be signed with one of them. */
function canSign({ keys }: KeySet): boolean {
  return keys.some(({ use }) => use !== 'enc');
}

/**
 * Reads the keys once, as a gateway does, for a check of an installation.
 * @returns the number of keys; 0: every token is refused
 * @throws {Error} they cannot be read
 */
export async function countIssuerKeys(settings: IssuerKeysSettings): Promise<number> {
  const client = clientFor(settings);
  try {
    const read = await readKeys(client, settings);
    return canSign(read) ? read.keys.length : 0;
  } finally {
    await client.destroy();
  }
}

function clientFor(settings: IssuerKeysSettings): GuardedClient {
  return guardedClient({ policy: policyFor(settings), timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
}

/** A URL in settings may be in our network; a URL from the issuer must be public. */
function policyFor({ issuer, jwksUrl }: IssuerKeysSettings): AddressPolicy {
  const trustedOrigins = [issuer, jwksUrl ?? ''].filter((url) => URL.canParse(url)).map((url) => new URL(url).origin);
  return new AddressPolicy({ allowHttp: false, allowHosts: [], trustedOrigins });
}

const ageOf = (at: number): number => performance.now() - at;

const configurationSchema = z.looseObject({ issuer: z.string() });

/** Path of an issuer's configuration (OpenID Connect Discovery 4). */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/**
 * The issuer's configuration (OpenID Connect Discovery 4).
 * @throws {Error} it cannot be read, or belongs to another issuer
 */
export async function discover(client: GuardedClient, issuer: string): Promise<Readonly<Record<string, unknown>>> {
  const metadata = configurationSchema.parse(await readJson(client, discoveryUrl(issuer)));
  if (metadata.issuer !== issuer) throw anotherIssuer(metadata.issuer, issuer);
  return metadata;
}

/** The log leaves out the paths of addresses, and most often these differ by a slash at their end. */
function anotherIssuer(found: string, issuer: string): Error {
  const path = (url: string): string => JSON.stringify(URL.canParse(url) ? url.slice(new URL(url).origin.length) : url);
  return new Error(`The issuer there is ${found} with the path ${path(found)}, and JWT_ISSUER has ${path(issuer)}`);
}

/** JSON from a server of the issuer. @throws {Error} the answer is not 200 with JSON; its message has the address */
async function readJson(client: GuardedClient, url: string): Promise<unknown> {
  try {
    const response = await client.fetch(url, { headers: { accept: 'application/json' } });
    if (response.status === 200) return await response.json();
    await response.body?.cancel();
    throw new Error(`it answered with HTTP ${response.status}`);
  } catch (cause) {
    throw new Error(`${url} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
