import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Why a module cannot be loaded, in one line: with file, line and column of the error, where they are known. */
export function loadProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const location = locationOfSyntax(error) ?? locationOfImport(error) ?? locationOfThrow(error);
  return location ? `${location}: ${error.message}` : error.message;
}

/** Node puts a syntax error's location before the stack: `<file>:<line>`, lines of code, and carets below the error. */
function locationOfSyntax({ stack = '' }: Error): string | undefined {
  const [, file, line, blanks = ''] = /^(\S.*):(\d+)\n(?:.*\n)+?( *)\^+\n/.exec(stack) ?? [];
  return file && `${pathOf(file)}:${line}:${blanks.length + 1}`;
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
  const agentPackage = new URL('.', import.meta.resolve('@switchyard/agent')).href;
  const frames = stack.split('\n').filter((line) => line.startsWith('    at ') && line.includes('file://'));
  const frame = frames.find((line) => !line.includes('/node_modules/') && !line.includes(agentPackage)) ?? '';
  const location = frame.slice(frame.indexOf('file://')).replace(')', '');
  return /:\d+:\d+$/.test(location) ? pathOf(location) : undefined;
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
