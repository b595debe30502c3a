import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { calculateJwkThumbprint, exportJWK } from 'jose';

/** A private key, and the algorithm that goes with it (RFC 7518, RFC 8037). */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: 'ES256' | 'RS256' | 'EdDSA';
  /** As its JWK names it. */
  readonly id?: string | undefined;
}

type Jwk = JsonWebKey & { readonly kid?: string };

/**
 * The first of the keys that a setting holds, or names a file of: a JWK, several of them, a JWK set, or PEM. The gateways
 * publish all of them, so that one can take over from another.
 * @throws {Error} there is none on P-256, RSA or Ed25519
 */
export function readSigningKey(setting: string): SigningKey {
  const text = /^\s*(?:[{[]|-----BEGIN )/.test(setting) ? setting : readFileSync(setting.split(',')[0] ?? '', 'utf8');
  if (text.includes('-----BEGIN ')) return signingKey(createPrivateKey(text.replaceAll('\\n', '\n')));
  const jwk = firstJwk(JSON.parse(text));
  return signingKey(createPrivateKey({ key: jwk, format: 'jwk' }), jwk.kid);
}

/** The id under which the gateways publish the public half: the JWK's own, else its thumbprint (RFC 7638). */
export async function keyIdOf({ key, id }: SigningKey): Promise<string> {
  return id ?? calculateJwkThumbprint(await exportJWK(createPublicKey(key)));
}

function firstJwk(given: Jwk | Jwk[] | { readonly keys: Jwk[] }): Jwk {
  const [first = {}] = Array.isArray(given) ? given : isSet(given) ? given.keys : [given];
  return first;
}

function isSet(given: Jwk | { readonly keys: Jwk[] }): given is { readonly keys: Jwk[] } {
  return 'keys' in given;
}

function signingKey(key: KeyObject, id?: string): SigningKey {
  return { key, id, algorithm: algorithmOf(key) };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningKey['algorithm'] {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  throw new Error('must be a key on P-256, an RSA key or an Ed25519 key');
}
