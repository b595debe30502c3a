import { type ApiKeyParts, type Credential, type Credentials, secretHash } from '@switchyard/access';
import { LRUCache } from 'lru-cache';
import type { Rejection } from './authenticator.ts';
import { type Identity, identityOfKey } from './identity.ts';

/** Maximum number of cached keys. When one is evicted its streams end, because its revocation would not be noticed. */
const MAX_CACHED = 10_000;
/** How long a wrong key is cached as wrong. */
const WRONG_MS = 1_000;

const notValid: Rejection = { rejected: 'The API key is not valid' };

interface KnownKey {
  readonly digest: string;
  readonly json: string;
  readonly identity: Identity;
  /** By `performance.now()`. */
  checkedAt: number;
}

/** The keys in Redis that clients have used at this gateway. Pub/sub messages announce revocations. */
export class StoredKeys {
  readonly #credentials: Pick<Credentials, 'verify' | 'find' | 'onChange'>;
  readonly #cacheMs: number;
  readonly #cache = new LRUCache<string, KnownKey>({
    max: MAX_CACHED,
    dispose: ({ identity }, _, reason) => {
      if (reason === 'evict') identity.revoke();
    },
  });
  /** By id and digest, so that a wrong secret does not lock out the right one. */
  readonly #wrong = new LRUCache<string, true>({ max: MAX_CACHED, ttl: WRONG_MS });
  readonly #lookUps = new Map<string, Promise<Identity | Rejection>>();
  /** Number of received messages: a look-up that began before one may be out of date. */
  #changes = 0;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;

  /** @param cacheMs a key is looked up again after this time, because a message may be lost */
  constructor(credentials: Pick<Credentials, 'verify' | 'find' | 'onChange'>, cacheMs: number) {
    this.#credentials = credentials;
    this.#cacheMs = cacheMs;
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#checkWatched(), this.#cacheMs).unref();
    this.#unsubscribe = await this.#credentials.onChange((id) => this.#changed(id));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#unsubscribe?.();
  }

  cachedIdentity({ id, secret }: ApiKeyParts): Identity | undefined {
    const known = this.#cache.get(id);
    if (!known || !this.#isFresh(known) || known.identity.hasEnded) return undefined;
    return known.digest === secretHash(secret) ? known.identity : undefined;
  }

  /** Whether the key was valid when it was last looked up. */
  hasVerified({ id, secret }: ApiKeyParts): boolean {
    return this.#cache.peek(id)?.digest === secretHash(secret);
  }

  /** Rejects while Redis is unreachable. */
  async identify(key: ApiKeyParts): Promise<Identity | Rejection> {
    const digest = secretHash(key.secret);
    const known = this.#cache.get(key.id);
    if (known && this.#isFresh(known) && known.digest !== digest) return notValid;
    const name = `${key.id} ${digest}`;
    if (this.#wrong.has(name)) return notValid;
    const lookUp = this.#lookUps.get(name) ?? this.#lookUp(key, digest).finally(() => this.#lookUps.delete(name));
    this.#lookUps.set(name, lookUp);
    return lookUp;
  }

  async #lookUp(key: ApiKeyParts, digest: string): Promise<Identity | Rejection> {
    const changes = this.#changes;
    const checkedAt = performance.now();
    const credential = await this.#credentials.verify(key);
    if (!credential) {
      this.#wrong.set(`${key.id} ${digest}`, true);
      if (this.#cache.peek(key.id)?.digest === digest) this.#forget(key.id);
      return notValid;
    }
    const problem = problemOf(credential);
    if (problem !== undefined) {
      this.#forget(key.id);
      return { rejected: problem, credential: `key:${key.id}` };
    }
    return this.#remember(credential, { digest, checkedAt: changes === this.#changes ? checkedAt : -Infinity });
  }

  /** The identity stays the same object while the key has the same rights. */
  #remember(credential: Credential, { digest, checkedAt }: Pick<KnownKey, 'digest' | 'checkedAt'>): Identity {
    const json = JSON.stringify(credential);
    const known = this.#cache.get(credential.id);
    if (known?.json === json) {
      known.checkedAt = checkedAt;
      return known.identity;
    }
    known?.identity.revoke();
    const identity = identityOf(credential);
    this.#cache.set(credential.id, { digest, json, identity, checkedAt });
    return identity;
  }

  #changed(id: string | undefined): void {
    this.#changes++;
    for (const each of id === undefined ? [...this.#cache.keys()] : [id]) {
      const known = this.#cache.peek(each);
      if (known) known.checkedAt = -Infinity;
    }
    this.#checkWatched();
  }

  /** Keys of open streams are looked up regularly, because no request does so. */
  #checkWatched(): void {
    for (const [id, known] of this.#cache.entries())
      if (known.identity.isWatched && !this.#isFresh(known)) void this.#check(id, known);
  }

  async #check(id: string, known: KnownKey): Promise<void> {
    const checkedAt = performance.now();
    try {
      const credential = await this.#credentials.find(id);
      if (JSON.stringify(credential) === known.json) known.checkedAt = checkedAt;
      else if (this.#cache.peek(id) === known) this.#forget(id);
    } catch {
      // Redis is unreachable: retried with the next round.
    }
  }

  #forget(id: string): void {
    this.#cache.peek(id)?.identity.revoke();
    this.#cache.delete(id);
  }

  #isFresh({ checkedAt }: KnownKey): boolean {
    return performance.now() - checkedAt < this.#cacheMs;
  }
}

function identityOf({ id, tenant, subject, scopes, agents, expiresAt }: Credential): Identity {
  const ends = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  return identityOfKey({ tenant, subject, scopes }, { agents, credential: `key:${id}`, expiresAt: ends });
}

function problemOf({ revokedAt, expiresAt }: Credential): string | undefined {
  if (revokedAt !== undefined) return 'The API key has been revoked';
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) return 'The API key has expired';
  return undefined;
}
