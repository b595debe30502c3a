import { dirname } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** Which folders of an app or package import which others. */
export type FolderImports = ReadonlyMap<string, ReadonlySet<string>>;

export function folderImports(files: readonly SourceFile[]): FolderImports {
  const folders = new Map<string, Set<string>>();
  for (const { path, home, imports } of files) {
    const from = dirname(path);
    const to = folders.get(from) ?? new Set();
    folders.set(from, to);
    for (const { file } of imports) if (file?.startsWith(`${home}/`) && dirname(file) !== from) to.add(dirname(file));
  }
  return folders;
}

/** Pairs of folders that import each other, each as `a <> b`. */
export function folderPairs(folders: FolderImports): string[] {
  return [...folders].flatMap(([from, targets]) =>
    [...targets].filter((to) => from < to && folders.get(to)?.has(from)).map((to) => `${from} <> ${to}`),
  );
}

/** Imports of folders that some way leads back from. */
export function importsInCircles(folders: FolderImports): string[] {
  return [...folders].flatMap(([from, targets]) =>
    [...targets].filter((to) => reaches(folders, to, from)).map((to) => `${from} > ${to}`),
  );
}

function reaches(folders: FolderImports, from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return [...(folders.get(from) ?? [])].some((next) => reaches(folders, next, to, seen));
}
