import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { type SigningKey, signingKey } from './signing-key.ts';

const jwkSchema = z.looseObject({ kty: z.string(), kid: z.string().min(1).optional() });
const jwksSchema = z.union([z.object({ keys: z.array(jwkSchema) }), z.array(jwkSchema), jwkSchema]);
type Jwk = z.infer<typeof jwkSchema>;

/**
 * Parses private keys: a JWK, a list of JWKs, a JWK set, or PEM blocks.
 * @throws {Error} with the number of the key, from 1; the message never contains the key
 */
export function parseSigningKeys(text: string): SigningKey[] {
  const keys = isPem(text) ? keyBlocks(text).map(fromPem) : readJwks(text).map(fromJwk);
  if (keys.length === 0) throw new Error('contains no key');
  return keys;
}

/** Whether a setting contains keys; otherwise it contains names of files. */
export function containsKeys(text: string): boolean {
  return isPem(text) || /^\s*[{[]/.test(text);
}

function isPem(text: string): boolean {
  return text.trimStart().startsWith('-----BEGIN ');
}

/**
 * Environment variables may contain line breaks written as `\n`. `openssl ecparam -genkey` writes the name of the curve
 * before the key, which the key has, too.
 */
function keyBlocks(text: string): string[] {
  const blocks = text.replaceAll('\\n', '\n').split('-----BEGIN ').slice(1);
  return blocks.map((block) => `-----BEGIN ${block}`).filter((block) => !block.startsWith('-----BEGIN EC PARAMETERS-'));
}

/** What a block says that it is, such as `EC PRIVATE KEY`. */
const label = /^-----BEGIN ([A-Z0-9 ]{1,40})-----/;

function fromPem(pem: string, index: number): SigningKey {
  const [, kind = ''] = label.exec(pem) ?? [];
  if (kind && !kind.endsWith('PRIVATE KEY')) throw new Error(`key ${index + 1} is no private key but ${kind}`);
  return read(index, () => ({ key: createPrivateKey(pem) }));
}

function readJwks(text: string): Jwk[] {
  const jwks = jwksSchema.safeParse(parseJson(text));
  if (!jwks.success) throw new Error('is not a JWK, a JWK set or PEM');
  if (Array.isArray(jwks.data)) return jwks.data;
  return isJwk(jwks.data) ? [jwks.data] : jwks.data.keys;
}

function isJwk(value: Jwk | { keys: Jwk[] }): value is Jwk {
  return 'kty' in value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON.parse's error would quote the key.
    throw new Error('is neither JSON nor PEM');
  }
}

function fromJwk({ kid, ...jwk }: Jwk, index: number): SigningKey {
  return read(index, () => ({ key: createPrivateKey({ key: jwk, format: 'jwk' }), kid }));
}

/** Does not pass on errors of OpenSSL, which may quote the key. */
function read(index: number, create: () => { key: KeyObject; kid?: string | undefined }): SigningKey {
  const name = `key ${index + 1}`;
  const made = attempt(create);
  if (!made) throw new Error(`${name} is not a readable private key; it must not be encrypted`);
  try {
    return signingKey(made.key, made.kid);
  } catch (error) {
    throw new Error(`${name} ${error instanceof Error ? error.message : String(error)}`);
  }
}

function attempt<T>(create: () => T): T | undefined {
  try {
    return create();
  } catch {
    // The caller throws an error without details, which could quote the key.
    return undefined;
  }
}
