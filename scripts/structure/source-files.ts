import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface SourceFile {
  /** From the root of the repository: `packages/store/src/index.ts`. */
  readonly path: string;
  /** The folder of its package: `packages/store`. */
  readonly home: string;
  readonly isTest: boolean;
  readonly lines: number;
  /** Without comments. */
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
export function readSourceFiles(root: string, pattern = '{packages,apps,examples}/*/**/*.{ts,tsx}'): SourceFile[] {
  return globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
    .sort()
    .map((path) => readSourceFile(root, path));
}

function readSourceFile(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const { comments, module } = parseSync(path, text);
  const [top, name, folder] = path.split('/');
  return {
    path,
    home: `${top}/${name}`,
    isTest: folder === 'test',
    lines: text.split('\n').length - 1,
    code: comments.reduceRight((code, { start, end }) => code.slice(0, start) + code.slice(end), text),
    imports: specifiersIn(text, module).map((specifier) => importOf(root, path, specifier)),
  };
}

type Module = ReturnType<typeof parseSync>['module'];

function specifiersIn(text: string, { staticImports, staticExports, dynamicImports }: Module): string[] {
  const exported = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
  );
  const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  return [...new Set([...staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exported, ...dynamic])];
}

function importOf(root: string, path: string, specifier: string): Import {
  const file = join(dirname(path), specifier);
  return specifier.startsWith('.') && existsSync(join(root, file)) ? { specifier, file } : { specifier };
}
