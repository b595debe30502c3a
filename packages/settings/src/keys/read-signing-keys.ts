import { readFileSync } from 'node:fs';
import { holdsKeys, parseSigningKeys } from './parse-signing-keys.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * @param setting keys themselves, or the names of files that hold them, apart by commas
 * @throws {Error} with words that say what is wrong and repeat no key
 */
export function readSigningKeys(setting: string): SigningKey[] {
  const keys = holdsKeys(setting) ? parseSigningKeys(setting) : fileNames(setting).flatMap(readFile);
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
  const place = isPath.test(name) ? name : `entry ${index + 1}`;
  try {
    return parseSigningKeys(readFileSync(name, 'utf8'));
  } catch (error) {
    throw new Error(`${place} ${isOfSystem(error) ? `cannot be read (${error.code})` : messageOf(error)}`);
  }
}

/** Something else may be a key that was pasted without its form: it is not repeated. */
const isPath = /^[./]|\.[a-z]{3,4}$/;

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
