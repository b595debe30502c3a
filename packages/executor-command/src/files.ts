import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** The result of a file operation; undefined if there is no such file. */
export async function ifThere<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Why a path that a program has made cannot be read: its rights, its length, or that it is gone. */
const unreadable: readonly unknown[] = ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'ENXIO'];

/** The code of such an error. @throws any other error */
export function codeOfUnreadable(error: unknown): string {
  if (error instanceof Error && 'code' in error && unreadable.includes(error.code)) return String(error.code);
  throw error;
}

/**
 * Writes a file in one step. If a program has replaced it with a link, the new file replaces the link: nothing is
 * written through it.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, content, { flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
