import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK } from 'jose';

/** A private key, and the algorithm that goes with it (RFC 7518, RFC 8037). */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: 'ES256' | 'RS256' | 'EdDSA';
  /** As its JWK names it. */
  readonly id?: string | undefined;
}

/** @param text a JWK, or PEM (PKCS #8): P-256, RSA or Ed25519 @throws {Error} it is none of these */
export function parseSigningKey(text: string): SigningKey {
  const jwk = text.trimStart().startsWith('{') ? JSON.parse(text) : undefined;
  const key = jwk ? createPrivateKey({ key: jwk, format: 'jwk' }) : createPrivateKey(text);
  return { key, algorithm: algorithmOf(key), id: jwk?.kid };
}

/** The id under which the gateways publish the public half: the JWK's own, else its thumbprint (RFC 7638). */
export async function keyIdOf({ key, id }: SigningKey): Promise<string> {
  return id ?? calculateJwkThumbprint(await exportJWK(createPublicKey(key)));
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningKey['algorithm'] {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  throw new Error('must be a key on P-256, an RSA key or an Ed25519 key');
}
