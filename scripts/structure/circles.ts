import type { SourceFile } from './source-files.ts';

/** The circles in which files import each other, each as the way around: `a.ts → b.ts → a.ts`. */
export function findCircles(files: readonly SourceFile[]): string[] {
  const next = new Map(files.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])]));
  const done = new Set<string>();
  const circles: string[] = [];

  function visit(path: string, way: readonly string[]): void {
    const start = way.indexOf(path);
    if (start >= 0) circles.push([...way.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const file of next.get(path) ?? []) visit(file, [...way, path]);
    done.add(path);
  }

  for (const path of next.keys()) visit(path, []);
  return circles;
}
