import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';

/** No signature of the card is valid. The message has the reason for each signature, `cause` is the last error. */
export class CardVerificationError extends Error {
  override readonly name = 'CardVerificationError';
}

/** The keys whose signatures are trusted. At least one of the two is required. */
export interface CardTrust {
  /** Trusted public keys. */
  readonly keys?: JSONWebKeySet;
  /** Where trusted keys are published: https, or http on this machine. A card's `jku` must be one of these. */
  readonly jwksUrls?: readonly string[];
}

type FindKey = (header: JWSHeaderParameters, jws: FlattenedJWSInput) => Promise<CryptoKey>;

/**
 * Longest wait for published keys. jose caches them for ten minutes, and fetches them again for an unknown key, at most
 * every 30 s.
 */
const timeoutMs = 5_000;

/** Finds the public key of a signature, only among the trusted keys. */
export class TrustedKeys {
  readonly #given: FindKey | undefined;
  readonly #published: ReadonlyMap<string, FindKey>;

  /** @throws {TypeError} there are no trusted keys, or a URL is not safe */
  constructor({ keys, jwksUrls = [] }: CardTrust) {
    if (!keys && jwksUrls.length === 0) throw new TypeError('No keys are trusted: pass keys or jwksUrls');
    this.#given = keys && createLocalJWKSet(keys);
    this.#published = new Map(jwksUrls.map((url) => [safeUrl(url).href, publishedAt(url)]));
  }

  /** jose calls it with the header of a signature. */
  readonly find: FindKey = async (header, jws) => {
    const given = await this.#findGiven(header, jws);
    if (given) return given;
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

  async #findGiven(header: JWSHeaderParameters, jws: FlattenedJWSInput): Promise<CryptoKey | undefined> {
    try {
      return await this.#given?.(header, jws);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  #sources(jku: string | undefined): FindKey[] {
    if (jku === undefined) return [...this.#published.values()];
    const source = URL.canParse(jku) ? this.#published.get(new URL(jku).href) : undefined;
    if (!source) throw new Error('its jku is a URL that is not trusted');
    return [source];
  }
}

function publishedAt(url: string): FindKey {
  return createRemoteJWKSet(new URL(url), { timeoutDuration: timeoutMs });
}

/** Keys are fetched over https only: over http, an attacker on the network could replace them. */
function safeUrl(text: string): URL {
  const url = new URL(text);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return url;
  throw new TypeError(`${text} must be an https URL`);
}
