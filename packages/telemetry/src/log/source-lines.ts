import { readFileSync, statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';

const MAX_FILE_BYTES = 1_048_576;
const MAX_LENGTH = 160;

/** Lines of files that failed lately. An agent that fails often is read once a second, not once a failure. */
const files = new LRUCache<string, readonly string[]>({ max: 20, ttl: 1_000 });

/** A stack may name any file: its text may come from elsewhere. */
const CODE = /\.[cm]?[jt]sx?$/;

/** A line of a source file, without the blanks around it; undefined: there is no such file or line, or it is no code. */
export function sourceLine(path: string, line: number): string | undefined {
  if (!CODE.test(path)) return undefined;
  if (!path.startsWith('/') && !/^[A-Za-z]:\\/.test(path)) return undefined;
  const text = linesOf(path)[line - 1]?.trim();
  return text ? text.slice(0, MAX_LENGTH) : undefined;
}

function linesOf(path: string): readonly string[] {
  const known = files.get(path);
  if (known) return known;
  const lines = read(path);
  files.set(path, lines);
  return lines;
}

function read(path: string): readonly string[] {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8').split('\n') : [];
  } catch {
    return [];
  }
}
