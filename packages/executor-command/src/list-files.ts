import { lstat, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { briefingFiles, questionFile } from './briefing.ts';
import { codeOfUnreadable } from './files.ts';

/**
 * The files of a workspace that become artifacts. Globs match paths from the workspace; `*` does not match hidden
 * files.
 */
export interface FileSettings {
  /** Default: all files that are not hidden. */
  readonly include?: readonly string[];
  /** In addition to the briefing, the attachments, `node_modules` and `.git`. */
  readonly exclude?: readonly string[];
  /** Default: 50. */
  readonly maxFiles?: number;
  /**
   * Largest file whose content is in the task; larger ones are stored outside of it (docs/files.md), if the deployment
   * stores files. Default: 262,144.
   */
  readonly maxInlineBytes?: number;
  /** Bytes of all files of one turn in the task; further ones are stored outside of it. Default: 2,097,152. */
  readonly maxTotalInlineBytes?: number;
  /** Largest file that becomes an artifact. Default: 1 GiB. */
  readonly maxFileBytes?: number;
}

/** By path in the workspace: size and time of change of a file; `unreadable` for what cannot be read. */
export type FileList = Readonly<Record<string, string>>;

/** Folder of the files in the client's message. */
export const attachmentsFolder = 'attachments';

const neverAttached = [
  ...briefingFiles,
  questionFile,
  `${attachmentsFolder}/**`,
  '**/node_modules/**',
  '**/.git/**',
  '**/*.part',
];

/** At most this many files are examined; others are not attached. */
const maxListedFiles = 20_000;

/** The files that may become artifacts: only regular files; symbolic links are not followed. */
export async function listFiles(
  workspace: string,
  { include = ['**/*'], exclude = [] }: FileSettings,
): Promise<FileList> {
  const files: Record<string, string> = {};
  const refused = [...neverAttached, ...exclude];
  let seen = 0;
  for await (const path of walk(workspace, '', (path) => !matchesAny(path, refused))) {
    if (++seen > maxListedFiles) break;
    const found = matchesAny(path, include) ? await look(join(workspace, path)) : undefined;
    if (found !== undefined) files[path] = found;
  }
  return files;
}

/** @returns undefined: it is neither a file nor a folder */
async function look(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(codeOfUnreadable);
  if (typeof stats === 'string' || stats.isDirectory()) return 'unreadable';
  return stats.isFile() ? `${stats.size}:${stats.mtimeMs}` : undefined;
}

/** The paths of all files, without those of excluded folders; and of the folders that cannot be read. */
async function* walk(
  root: string,
  folder: string,
  isWanted: (path: string) => boolean,
): AsyncGenerator<string, void, undefined> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(codeOfUnreadable);
  if (typeof entries === 'string') return void (yield folder);
  for (const entry of entries) {
    const path = posix.join(folder, entry.name);
    if (!isWanted(entry.isDirectory() ? `${path}/any` : path)) continue;
    if (entry.isDirectory()) yield* walk(root, path, isWanted);
    else yield path;
  }
}

/** Paths that are new or different, sorted. */
export function changedFiles(before: FileList, after: FileList): string[] {
  return Object.keys(after)
    .filter((path) => after[path] !== before[path])
    .sort();
}

function matchesAny(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => posix.matchesGlob(path, glob));
}
