import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';

/** No signature of the card can be relied on; the message says why of each, and `cause` holds the last reason. */
export class CardVerificationError extends Error {
  override readonly name = 'CardVerificationError';
}

/** Whose signatures count. At least one of the two. */
export interface CardTrust {
  /** Public keys that are known already. */
  readonly keys?: JSONWebKeySet;
  /**
   * Where public keys are published: https, or http on this machine. A card cannot add to them: its `jku` must be one
   * of these.
   */
  readonly jwksUrls?: readonly string[];
}

type FindKey = (header: JWSHeaderParameters, jws: FlattenedJWSInput) => Promise<CryptoKey>;

/**
 * Longest wait for published keys. jose keeps them for ten minutes, and asks again for one that it does not know, at
 * most every 30 s.
 */
const timeoutMs = 5_000;

/** Finds the public key of a signature among those that are trusted, and nowhere else. */
export class TrustedKeys {
  readonly #known: FindKey | undefined;
  readonly #published: ReadonlyMap<string, FindKey>;

  /** @throws {TypeError} when nothing is trusted, or a URL is not safe */
  constructor({ keys, jwksUrls = [] }: CardTrust) {
    if (!keys && jwksUrls.length === 0)
      throw new TypeError('Nothing is trusted: give keys, or the URLs of published ones');
    this.#known = keys && createLocalJWKSet(keys);
    this.#published = new Map(jwksUrls.map((url) => [safe(url).href, publishedAt(url)]));
  }

  /** For jose, which calls it with the header that it has read. */
  readonly find: FindKey = async (header, jws) => {
    const known = await this.#findKnown(header, jws);
    if (known) return known;
    const sources = this.#sources(header.jku);
    let last: unknown = new errors.JWKSNoMatchingKey();
    for (const source of sources) {
      try {
        return await source(header, jws);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  };

  async #findKnown(header: JWSHeaderParameters, jws: FlattenedJWSInput): Promise<CryptoKey | undefined> {
    try {
      return await this.#known?.(header, jws);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  #sources(jku: string | undefined): FindKey[] {
    if (jku === undefined) return [...this.#published.values()];
    const source = URL.canParse(jku) ? this.#published.get(new URL(jku).href) : undefined;
    if (!source) throw new Error('its keys are at a URL that is not trusted');
    return [source];
  }
}

function publishedAt(url: string): FindKey {
  return createRemoteJWKSet(new URL(url), { timeoutDuration: timeoutMs });
}

/** Keys are fetched over https only: without it anyone on the way could replace them. */
function safe(text: string): URL {
  const url = new URL(text);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return url;
  throw new TypeError(`${text} must be an https URL`);
}
