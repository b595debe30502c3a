import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textOfThrown } from '@switchyard/telemetry';

/** Why a module cannot be loaded, in one line: with file, line and column of the error, where they are known. */
export function loadProblem(error: unknown): string {
  if (!(error instanceof Error)) return `it threw what is no Error: ${textOfThrown(error)}`;
  const location = locationOfSyntax(error) ?? locationOfImport(error) ?? locationOfThrow(error);
  const text = `${error.message}${toInstall(error)}`;
  return location ? `${location}: ${text}` : text;
}

/** What to do about a package that is not installed; of a file, or of a folder without one, nothing can be installed. */
function toInstall({ message }: Error): string {
  const [, name] = /^Cannot find package '((?:@[^'/]+\/)?[^'/\\]+)' imported from /.exec(message) ?? [];
  return name ? `: npm install ${name}` : '';
}

/**
 * Node puts a syntax error's location before the stack: `<file>:<line>`, lines of code, and carets below the error,
 * unless it is at the end of the file.
 */
function locationOfSyntax({ stack = '' }: Error): string | undefined {
  // The stack of another error begins with its name and message, which may end like an address: "…127.0.0.1:6379".
  const [, file, line] = /^((?:\/|file:\/\/|[A-Za-z]:\\).*):(\d+)\n/.exec(stack) ?? [];
  if (!file) return undefined;
  const [, blanks] = /\n( *)\^+\n/.exec(stack) ?? [];
  return `${pathOf(file)}:${line}${blanks === undefined ? '' : `:${blanks.length + 1}`}`;
}

/** Where a missing module is imported. */
function locationOfImport({ message }: Error): string | undefined {
  const [, missing = '', importer = ''] =
    /^Cannot find (?:module|package) '([^']+)' imported from (.+)$/.exec(message) ?? [];
  if (!importer || importer === import.meta.filename) return undefined;
  const lines = readFileSync(pathOf(importer), 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    for (const { 1: name = '', index: column } of line.matchAll(/['"]([^'"]+)['"]/g)) {
      const isMissing = name.startsWith('.')
        ? resolve(dirname(pathOf(importer)), name) === missing
        : name.startsWith(missing);
      if (isMissing) return `${pathOf(importer)}:${index + 1}:${column + 1}`;
    }
  }
  return pathOf(importer);
}

/** Where the module's own code threw, perhaps in code that it called. */
function locationOfThrow({ stack = '' }: Error): string | undefined {
  const own = [import.meta.resolve('@switchyard/agent'), import.meta.resolve('../worker.ts')];
  const folders = own.map((file) => new URL('.', file).href);
  const frames = stack.split('\n').filter((line) => line.startsWith('    at ') && line.includes('file://'));
  const frame = frames.find((line) => !['/node_modules/', ...folders].some((own) => line.includes(own))) ?? '';
  const location = frame.slice(frame.indexOf('file://')).replace(')', '');
  return /:\d+:\d+$/.test(location) ? pathOf(location) : undefined;
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
