import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * Reads a file that a setting names.
 * @throws {Error} it cannot be read; the message has its path and the reason, in words
 */
export function readSettingFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${whyUnreadable(cause)}`, { cause });
  }
}

/**
 * Reads a PEM file of one or more certificates.
 * @throws {Error} it cannot be read, has no certificate, or one that is damaged
 */
export function readCertificates(path: string): Buffer {
  const file = readSettingFile(path);
  const blocks = file.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) ?? [];
  if (blocks.length === 0) throw new Error(`${path} ${file.length === 0 ? 'is empty' : 'contains no PEM certificate'}`);
  blocks.forEach((block, index) => {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw new Error(`certificate ${index + 1} in ${path} is damaged`, { cause });
    }
  });
  return file;
}

/**
 * Reads a JSON file that a setting names.
 * @throws {Error} it cannot be read, or is no JSON; the message has nothing of its text, which may be secret
 */
export function readJsonFile(path: string): unknown {
  const text = readSettingFile(path).toString();
  if (text.trim() === '') throw new Error(`${path} is empty`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const [, place = ''] = /( \(line \d+ column \d+\))$/.exec(cause instanceof Error ? cause.message : '') ?? [];
    throw new Error(`${path} is not JSON${place}`, { cause });
  }
}

/** What the user can change, with the system's code for a search. */
function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  const text = words[code];
  return text === undefined ? error.message : `${text} (${code})`;
}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: `the user of this process${process.getuid ? `, ${process.getuid()},` : ''} may not read it`,
  EPERM: 'this process may not read it',
};
