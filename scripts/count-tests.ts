// Last line of CI: how many tests passed and failed, from vitest's own JSON result.
//
//   node scripts/count-tests.ts <file>

import { readFileSync } from 'node:fs';

interface VitestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

const [file = ''] = process.argv.slice(2);
const result: VitestResult = JSON.parse(readFileSync(file, 'utf8'));
// A file that could not even be loaded has no tests to fail; it counts as one.
const broken = result.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
);
const failed = result.numFailedTests + broken.length;
const skipped = result.numPendingTests + result.numTodoTests;

process.stdout.write(`${result.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
if (failed > 0 || result.numPassedTests === 0) process.exitCode = 1;
