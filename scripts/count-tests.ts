// Last lines of CI, from vitest's own JSON results: each test that failed, or that passed at its second try, with its
// error in one line; then how many tests passed and failed.
//
//   node scripts/count-tests.ts <file>…

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface VitestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

const MAX_CHARS = 900;

const results = process.argv.slice(2).map((file): VitestResult => JSON.parse(readFileSync(file, 'utf8')));
const passed = total(({ numPassedTests }) => numPassedTests);
// A file that could not even be loaded has no tests to fail; it counts as one.
const failed = total(({ numFailedTests, testResults }) => numFailedTests + testResults.filter(isBroken).length);
const skipped = total(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests);

for (const result of results) for (const file of result.testResults) process.stdout.write(linesOf(file));
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
if (failed > 0 || results.length === 0 || results.some(({ numPassedTests }) => numPassedTests === 0)) {
  process.exitCode = 1;
}

function total(count: (result: VitestResult) => number): number {
  return results.reduce((sum, result) => sum + count(result), 0);
}

// A file that could not be loaded, or whose hooks failed, has a message of its own.
function isBroken({ status, assertionResults }: FileResult): boolean {
  return status === 'failed' && !assertionResults.some(hasFailed);
}

function hasFailed({ status }: TestResult): boolean {
  return status === 'failed';
}

/** A test that passed keeps the errors of its tries before. */
function isUnsteady({ status, failureMessages }: TestResult): boolean {
  return status === 'passed' && failureMessages.length > 0;
}

function linesOf(file: FileResult): string {
  const path = relative(process.cwd(), file.name);
  const line = (word: string, { fullName, failureMessages }: TestResult): string =>
    `${word}: ${path} > ${fullName}: ${inOneLine(failureMessages[0])}\n`;
  const lines = file.assertionResults.flatMap((test) => {
    if (hasFailed(test)) return [line('failed', test)];
    return isUnsteady(test) ? [line('unsteady', test)] : [];
  });
  if (isBroken(file)) lines.push(`failed: ${path}: ${inOneLine(file.message)}\n`);
  return lines.join('');
}

/** Without the stack. Of a long text, its begin and its end: a program's output ends with what went wrong. */
function inOneLine(message = ''): string {
  const [text = ''] = message.split(/\n\s+at /, 1);
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' | ');
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS / 3)} […] ${line.slice((-MAX_CHARS * 2) / 3)}`;
}
