import { type ApiKey, defaultTenant } from './settings.ts';

/** Shortest key that is taken, in characters: a shorter one can be guessed. */
const shortestKey = 16;

/**
 * Entries of the form `key:subject[:tenant[:scope+scope]]`, apart by commas or line breaks; lines that begin with `#`
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
