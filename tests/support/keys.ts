import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';

/** A private key of each supported kind. */
export const privateKeys: Readonly<Record<'ES256' | 'RS256' | 'EdDSA', () => KeyObject>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  EdDSA: () => generateKeyPairSync('ed25519').privateKey,
};

export function jwkText(key: KeyObject, more: JsonWebKey = {}): string {
  return JSON.stringify({ ...key.export({ format: 'jwk' }), ...more });
}

export function pemText(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
