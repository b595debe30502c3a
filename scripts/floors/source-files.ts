import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface SourceFile {
  /** From the root of the repository: `packages/store/src/index.ts`. */
  readonly path: string;
  /** The folder of its package: `packages/store`. */
  readonly home: string;
  readonly isTest: boolean;
  /** Without comments: what is only talked about is no violation. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** The file it leads to, when it is relative. */
  readonly file?: string;
}

/** Every TypeScript file of every workspace, with what it imports. */
export function readSourceFiles(root: string): SourceFile[] {
  return globSync('{packages,apps,examples}/*/**/*.ts', { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
    .sort()
    .map((path) => readSourceFile(root, path));
}

function readSourceFile(root: string, path: string): SourceFile {
  const code = withoutComments(readFileSync(join(root, path), 'utf8'));
  const [floor, name, folder] = path.split('/');
  return { path, home: `${floor}/${name}`, isTest: folder === 'test', code, imports: importsOf(root, path, code) };
}

function importsOf(root: string, path: string, code: string): Import[] {
  const statements = /^\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
  return Array.from(code.matchAll(statements), ([, named, dynamic]) => {
    const specifier = named ?? dynamic ?? '';
    const file = join(dirname(path), specifier);
    return specifier.startsWith('.') && existsSync(join(root, file)) ? { specifier, file } : { specifier };
  });
}

/** A comment starts a line or follows a space: `https://` in a string stays. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
