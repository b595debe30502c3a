import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { A2AError, type Principal } from '@switchyard/protocol';
import { type ApiKey, defaultTenant } from '../settings/gateway-settings.ts';
import type { Authenticator } from './authenticator.ts';

/** AUTH=api-key: the key in `X-API-Key`, or as a bearer token. */
export function apiKeys(keys: readonly ApiKey[]): Authenticator {
  const known = keys.map(({ key, tenant, subject, scopes }) => ({
    digest: sha256(key),
    principal: { tenant, subject, scopes },
  }));
  return {
    authenticate: (headers) => identify(known, keyIn(headers)),
    challenge: 'Bearer realm="switchyard"',
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    },
    securityRequirements: [{ schemes: { apiKey: { list: [] } } }, { schemes: { bearer: { list: [] } } }],
  };
}

interface KnownKey {
  readonly digest: Buffer;
  readonly principal: Principal;
}

/** Compares the digest of every key: the time that it takes reveals nothing about the keys. */
function identify(known: readonly KnownKey[], key: string | undefined): Principal {
  if (key === undefined) throw unauthenticated('An API key is required: send it as X-API-Key or as a bearer token');
  const digest = sha256(key);
  let principal: Principal | undefined;
  for (const candidate of known) if (timingSafeEqual(candidate.digest, digest)) principal = candidate.principal;
  if (!principal) throw unauthenticated('The API key is not valid');
  return principal;
}

function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function unauthenticated(message: string): A2AError {
  return new A2AError('Unauthenticated', message);
}

/** Shortest accepted key, in characters: shorter ones can be guessed. */
const shortestKey = 16;

/**
 * Parses entries `key:subject[:tenant[:scope+scope]]`, separated by commas or line breaks; lines that begin with `#`
 * are comments. Errors count entries from 1 and never repeat a key. @throws {Error}
 */
export function parseApiKeys(text: string): ApiKey[] {
  const entries = text
    .split(/\r?\n/)
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const keys = entries.map(parseEntry);
  if (new Set(keys.map(({ key }) => key)).size < keys.length) throw new Error('two entries have the same key');
  return keys;
}

function parseEntry(entry: string, index: number): ApiKey {
  const [key = '', subject = '', tenant = '', scopes = '', ...rest] = entry.split(':');
  const place = `entry ${index + 1}`;
  if (subject === '' || rest.length > 0)
    throw new Error(`${place} is not of the form key:subject[:tenant[:scope+scope]]`);
  if (key.length < shortestKey) throw new Error(`the key of ${place} has fewer than ${shortestKey} characters`);
  return { key, subject, tenant: tenant || defaultTenant, scopes: scopes.split('+').filter((scope) => scope !== '') };
}
