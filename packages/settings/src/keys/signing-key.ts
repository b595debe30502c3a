import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA';

/** A private key that signs, and what is published of it. */
export interface SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/** RFC 7517, without anything private. */
export type PublicJwk = JsonWebKey & {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: 'sig';
};

/** Shortest modulus of an RSA key that RS256 may use, in bits (RFC 7518 3.3). */
const shortestModulus = 2048;

/**
 * @param kid unset: the key's thumbprint (RFC 7638), which is the same wherever and whenever the key is read
 * @throws {Error} for a key of another kind
 */
export function signingKey(privateKey: KeyObject, kid?: string): SigningKey {
  const algorithm = algorithmOf(privateKey);
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const name = kid ?? thumbprint(jwk);
  return {
    kid: name,
    algorithm,
    privateKey,
    publicJwk: { ...jwk, kid: name, alg: algorithm, use: 'sig' },
  };
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): SigningAlgorithm {
  if (type === 'ed25519') return 'EdDSA';
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256';
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= shortestModulus) return 'RS256';
  throw new Error(`is no key on the curve P-256, no Ed25519 key, and no RSA key of at least ${shortestModulus} bits`);
}

/** RFC 7638 3.2: the members that Node exports of a public key, sorted. jose has it, too, but as a promise. */
function thumbprint(jwk: JsonWebKey): string {
  const text = JSON.stringify(jwk, Object.keys(jwk).sort());
  return createHash('sha256').update(text).digest('base64url');
}
