import { createHash, timingSafeEqual } from 'node:crypto';
import { readSettingFile } from '../files/setting-file.ts';

/** Shorter keys could be guessed. */
const MIN_LENGTH = 16;

/** Headers of a request, with names in lower case. */
interface KeyHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | readonly string[] | undefined;
}

/**
 * Reads an operator's key.
 * @param text the value of the setting for the key
 * @param file the value of the setting for a file with the key; spaces around the key are ignored
 * @returns '' if neither is given
 * @throws {Error} the key is too short, or the file is empty or cannot be read; the message does not contain the key
 */
export function readOperatorKey(text = '', file?: string): string {
  if (text === '' && file === undefined) return '';
  const fromFile = text === '' && file !== undefined;
  const key = fromFile ? readSettingFile(file).toString().trim() : text;
  if (key === '') throw new Error(`${file} is empty`);
  if (key.length < MIN_LENGTH)
    throw new Error(`${fromFile ? `the key in ${file} ` : ''}must have at least ${MIN_LENGTH} characters`);
  return key;
}

/** Whether a request has this key, in `X-API-Key` or as a bearer token. Compares in constant time. */
export function hasKey(headers: KeyHeaders, key: string): boolean {
  const given = headers['x-api-key'] ?? /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return typeof given === 'string' && timingSafeEqual(sha256(given), sha256(key));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
