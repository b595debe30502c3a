import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type ApiKey, defaultTenant } from '../settings/gateway-settings.ts';
import { type Authenticator, bearerToken } from './authenticator.ts';
import { Identity, usualScopes } from './identity.ts';

/** AUTH=api-key: the key in `X-API-Key`, or as a bearer token. */
export function apiKeys(keys: readonly ApiKey[]): Authenticator {
  /** By digest: how far a digest of 256 bits is equal to a guess tells nothing about the key. */
  const known = new Map(keys.map((each) => [digestOf(each.key), identityOf(each)]));
  return {
    recognises: ({ headers }) => keyIn(headers) !== undefined,
    recall: ({ headers }) => known.get(digestOf(keyIn(headers) ?? '')),
    identify: async () => ({ rejected: 'The API key is not valid' }),
    challenge: 'Bearer realm="switchyard"',
    wants: 'an API key as X-API-Key or as a bearer token',
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    },
  };
}

function identityOf({ key, tenant, subject, scopes }: ApiKey): Identity {
  return new Identity({
    principal: { tenant, subject, scopes },
    scopes: scopes.length > 0 ? scopes : usualScopes,
    credential: `key:${digestOf(key).slice(0, 12)}`,
  });
}

function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : bearerToken(headers);
}

const digestOf = (key: string): string => hash('sha256', key, 'base64url');

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
