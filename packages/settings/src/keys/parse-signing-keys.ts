import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { type SigningKey, signingKey } from './signing-key.ts';

const jwkSchema = z.looseObject({ kty: z.string(), kid: z.string().min(1).optional() });
const jwksSchema = z.union([z.object({ keys: z.array(jwkSchema) }), z.array(jwkSchema), jwkSchema]);
type Jwk = z.infer<typeof jwkSchema>;

/**
 * Private keys from text: a JWK, a list of them, a JWK set, or PEM blocks one after the other.
 * Errors count keys from 1 and never repeat one. @throws {Error}
 */
export function parseSigningKeys(text: string): SigningKey[] {
  const keys = isPem(text) ? pemBlocks(text).map(fromPem) : readJwks(text).map(fromJwk);
  if (keys.length === 0) throw new Error('holds no key');
  return keys;
}

/** Whether a setting holds keys itself; otherwise it names the file that does. */
export function holdsKeys(text: string): boolean {
  return isPem(text) || /^\s*[{[]/.test(text);
}

function isPem(text: string): boolean {
  return text.trimStart().startsWith('-----BEGIN ');
}

/** In a variable of the environment line breaks may have been written as `\n`. */
function pemBlocks(text: string): string[] {
  const blocks = text.replaceAll('\\n', '\n').split('-----BEGIN ').slice(1);
  return blocks.map((block) => `-----BEGIN ${block}`);
}

function fromPem(pem: string, index: number): SigningKey {
  return read(index, () => ({ key: createPrivateKey(pem) }));
}

function readJwks(text: string): Jwk[] {
  const jwks = jwksSchema.safeParse(parseJson(text));
  if (!jwks.success) throw new Error('is neither a JWK, nor a JWK set, nor PEM');
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
    // A syntax error would quote the key.
    throw new Error('is neither JSON nor PEM');
  }
}

function fromJwk({ kid, ...jwk }: Jwk, index: number): SigningKey {
  return read(index, () => ({ key: createPrivateKey({ key: jwk, format: 'jwk' }), kid }));
}

/** What OpenSSL has to say of a key may quote it. */
function read(index: number, create: () => { key: KeyObject; kid?: string | undefined }): SigningKey {
  const place = `key ${index + 1}`;
  const made = attempt(create);
  if (!made) throw new Error(`${place} is no private key that can be read; it must not be encrypted`);
  try {
    return signingKey(made.key, made.kid);
  } catch (error) {
    throw new Error(`${place} ${error instanceof Error ? error.message : String(error)}`);
  }
}

function attempt<T>(create: () => T): T | undefined {
  try {
    return create();
  } catch {
    // The caller's error quotes nothing of it.
    return undefined;
  }
}
