import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Shortest key of an operator, in characters: shorter ones can be guessed. */
const SHORTEST = 16;

/** Headers of a request, in lower case. */
interface KeyHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | readonly string[] | undefined;
}

/**
 * The key of an operator: of a setting, or of the file that another one names, whose blanks at both ends do not count.
 * @returns '' if neither is given
 * @throws {Error} it is too short, or the file cannot be read; the message repeats no key
 */
export function readOperatorKey(text = '', file?: string): string {
  const key = text || (file === undefined ? '' : readFileSync(file, 'utf8').trim());
  if (key === '' && file === undefined) return '';
  if (key.length < SHORTEST) throw new Error(`must have at least ${SHORTEST} characters`);
  return key;
}

/** Whether a request has this key, in `X-API-Key` or as a bearer token. Takes as long for any other one. */
export function hasKey(headers: KeyHeaders, key: string): boolean {
  const given = headers['x-api-key'] ?? /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return typeof given === 'string' && timingSafeEqual(sha256(given), sha256(key));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
