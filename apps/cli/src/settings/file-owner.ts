import type { Stats } from 'node:fs';
import { constants, lstat, open } from 'node:fs/promises';

/** How strictly a file must belong to the user who runs this command. */
export interface OwnerRule {
  /** The file may also be a link. Default: it must be a file itself. */
  readonly allowsLinks?: boolean;
  /** Nobody else may read it. Version control and archives make no such files by themselves. Default: only write. */
  readonly isPrivate?: boolean;
}

/** A text, or why the file is not read. */
export type OwnText = { readonly text: string; readonly mode: number } | { readonly refusal: string };

/** Larger files are no settings. */
const maxBytes = 1024 * 1024;
const missing: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'];

/**
 * Reads a file that this user or the system's administrator wrote: another user could have written any other one, for
 * example in a parent folder that everybody may write to. @returns undefined: there is no such file
 */
export async function readOwnFile(path: string, rule: OwnerRule = {}): Promise<OwnText | undefined> {
  const { allowsLinks = false } = rule;
  try {
    const link = await lstat(path);
    if (link.isSymbolicLink() && !allowsLinks) return { refusal: 'it is a symbolic link' };
    if (!isOurs(link)) return { refusal: 'it belongs to another user' };
    // The opened file is checked, because the path may name another one by then.
    await using file = await open(path, constants.O_RDONLY | (allowsLinks ? 0 : (constants.O_NOFOLLOW ?? 0)));
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const refusal = refusalOf(stats, rule);
    return refusal ? { refusal } : { text: await file.readFile('utf8'), mode: stats.mode };
  } catch (error) {
    if (error instanceof Error && 'code' in error && missing.includes(error.code)) return undefined;
    throw error;
  }
}

function refusalOf(stats: Stats, { isPrivate = false }: OwnerRule): string | undefined {
  if (!isOurs(stats)) return 'it belongs to another user';
  if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`;
  if (process.platform === 'win32') return undefined;
  if (stats.mode & 0o002) return 'every user may write it';
  return isPrivate && stats.mode & 0o077 ? 'others may read it, and this command makes no such file' : undefined;
}

/** Windows has no such owners. */
function isOurs({ uid }: Stats): boolean {
  const ours = process.getuid?.();
  return ours === undefined || uid === ours || uid === 0;
}
