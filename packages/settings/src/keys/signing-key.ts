import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA';

/** A private key for signatures, and its public key. */
export interface SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/** A public JWK (RFC 7517). */
export type PublicJwk = JsonWebKey & {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: 'sig';
};

/** Least modulus of an RSA key for RS256, in bits (RFC 7518 3.3). */
const minModulusBits = 2048;

/**
 * @param kid default: the key's thumbprint (RFC 7638), which is the same in every process
 * @throws {Error} the key is of an unsupported type
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
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= minModulusBits) return 'RS256';
  throw new Error(`is not a supported key: use P-256, Ed25519, or RSA with at least ${minModulusBits} bits`);
}

/** RFC 7638 3.2: the hash of the members that Node exports, sorted. jose's function for it is asynchronous. */
function thumbprint(jwk: JsonWebKey): string {
  const text = JSON.stringify(jwk, Object.keys(jwk).sort());
  return createHash('sha256').update(text).digest('base64url');
}
