import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The two parts of `swk_<id>_<secret>`. The prefix lets scanners for leaked secrets find one. */
export interface ApiKeyParts {
  /** Public: operators name the key by it. */
  readonly id: string;
  readonly secret: string;
}

const idLength = 12;
const form = /^swk_([0-9a-f]{12})_([\w-]{43})$/;

/** Makes a key with a secret of 256 random bits. */
export function newApiKey(): ApiKeyParts {
  return { id: randomBytes(idLength / 2).toString('hex'), secret: randomBytes(32).toString('base64url') };
}

export function apiKeyText({ id, secret }: ApiKeyParts): string {
  return `swk_${id}_${secret}`;
}

/** The parts of a key; undefined if the text does not have its form. */
export function apiKeyParts(text: string): ApiKeyParts | undefined {
  const [, id, secret] = form.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Needs no salt or rounds: 256 random bits cannot be guessed. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

export function isSecretOf(secret: string, hashed: string): boolean {
  return timingSafeEqual(hash('sha256', secret, 'buffer'), Buffer.from(hashed, 'base64url'));
}
