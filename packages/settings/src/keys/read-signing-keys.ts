import { readFileSync } from 'node:fs';
import { containsKeys, parseSigningKeys } from './parse-signing-keys.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Reads private keys.
 * @param setting keys, or names of files with keys, separated by commas
 * @throws {Error} the message says what is wrong, and never contains a key
 */
export function readSigningKeys(setting: string): SigningKey[] {
  const keys = containsKeys(setting) ? parseSigningKeys(setting) : fileNames(setting).flatMap(readFile);
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new Error('two keys have the same kid');
  return keys;
}

function fileNames(setting: string): string[] {
  return setting
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function readFile(name: string, index: number): SigningKey[] {
  const source = isPath.test(name) ? name : `entry ${index + 1}`;
  try {
    return parseSigningKeys(readFileSync(name, 'utf8'));
  } catch (error) {
    throw new Error(`${source} ${isSystemError(error) ? `cannot be read (${error.code})` : messageOf(error)}`);
  }
}

/** Other text may be a pasted key in a wrong format, so it must not be printed. */
const isPath = /^[./]|\.[a-z]{3,4}$/;

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
