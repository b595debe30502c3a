import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { jwkText, pemText, privateKeys } from '../../../tests/support/keys.ts';
import { readSigningKeys } from '../src/index.ts';

describe('a signing key', () => {
  it.each(Object.entries(privateKeys))('of type %s has the same kid from a JWK and from PEM', async (alg, create) => {
    const key = create();
    const thumbprint = await calculateJwkThumbprint(createPublicKey(key).export({ format: 'jwk' }));
    for (const text of [jwkText(key), pemText(key), pemText(key).replaceAll('\n', '\\n')]) {
      const [read] = readSigningKeys(text);
      expect(read?.publicJwk).toMatchObject({ alg, kid: thumbprint, use: 'sig' });
    }
  });

  it.each(Object.entries(privateKeys))('of type %s has a public JWK without private members', (_alg, create) => {
    const [read] = readSigningKeys(jwkText(create()));
    for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(read?.publicJwk).not.toHaveProperty(name);
  });

  it('may follow the name of its curve, as openssl ecparam -genkey writes it', () => {
    const curve = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    const key = privateKeys.ES256().export({ type: 'sec1', format: 'pem' }).toString();
    expect(readSigningKeys(curve + key).map(({ algorithm }) => algorithm)).toEqual(['ES256']);
  });

  it('keeps the kid of its JWK', () => {
    expect(readSigningKeys(jwkText(privateKeys.ES256(), { kid: '2026-01' }))[0]?.kid).toBe('2026-01');
  });

  it('can be one of several in a list, a JWK set, PEM blocks or files', async () => {
    const [one, two] = [privateKeys.ES256(), privateKeys.EdDSA()];
    const algorithms = (setting: string) => readSigningKeys(setting).map(({ algorithm }) => algorithm);
    expect(algorithms(`[${jwkText(one)},${jwkText(two)}]`)).toEqual(['ES256', 'EdDSA']);
    expect(algorithms(`{"keys":[${jwkText(one)},${jwkText(two)}]}`)).toEqual(['ES256', 'EdDSA']);
    expect(algorithms(pemText(one) + pemText(two))).toEqual(['ES256', 'EdDSA']);
    const folder = await mkdtemp(join(tmpdir(), 'keys-'));
    try {
      await writeFile(join(folder, 'one.pem'), pemText(one));
      await writeFile(join(folder, 'two.json'), jwkText(two));
      expect(algorithms(`${folder}/one.pem, ${folder}/two.json`)).toEqual(['ES256', 'EdDSA']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const publicOnly = createPublicKey(privateKeys.ES256());
  const publicPem = publicOnly.export({ type: 'spki', format: 'pem' }).toString();
  const twice = privateKeys.ES256();

  it.each([
    ['on another curve', jwkText(p384), 'key 1 is not a supported key: use P-256'],
    ['with a short RSA modulus', pemText(short), 'key 1 is not a supported key'],
    ['that is public only', jwkText(publicOnly), 'key 1 is not a readable private key'],
    ['that is a public key', publicPem, 'key 1 is no private key but PUBLIC KEY'],
    ['that is a certificate', publicPem.replaceAll('PUBLIC KEY', 'CERTIFICATE'), 'no private key but CERTIFICATE'],
    ['given twice', `[${jwkText(twice)},${jwkText(twice)}]`, 'two keys have the same kid'],
    ['that is not JSON', '{"kty":"EC","d":"topsecret"', 'neither JSON nor PEM'],
    ['that is not a JWK', '{"d":"topsecret"}', 'is not a JWK'],
    ['in a file that does not exist', '/nowhere/key.pem', '/nowhere/key.pem'],
    ['that is a bare secret', 'topsecret', 'entry 1 cannot be read (ENOENT)'],
    ['in an empty set', '{"keys":[]}', 'contains no key'],
  ])('%s is refused with an error that does not contain it', (_what, setting, error) => {
    expect(() => readSigningKeys(setting)).toThrow(error);
    expect(() => readSigningKeys(setting)).not.toThrow('topsecret');
  });
});
