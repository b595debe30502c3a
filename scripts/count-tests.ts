// Last line of CI: how many tests passed and failed, from vitest's own JSON results.
//
//   node scripts/count-tests.ts <file>…

import { readFileSync } from 'node:fs';

interface VitestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

const results = process.argv.slice(2).map((file): VitestResult => JSON.parse(readFileSync(file, 'utf8')));
const passed = total(({ numPassedTests }) => numPassedTests);
// A file that could not even be loaded has no tests to fail; it counts as one.
const failed = total(({ numFailedTests, testResults }) => numFailedTests + testResults.filter(isBroken).length);
const skipped = total(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests);

process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
if (failed > 0 || results.length === 0 || results.some(({ numPassedTests }) => numPassedTests === 0)) {
  process.exitCode = 1;
}

function total(count: (result: VitestResult) => number): number {
  return results.reduce((sum, result) => sum + count(result), 0);
}

function isBroken({ status, assertionResults }: VitestResult['testResults'][number]): boolean {
  return status === 'failed' && assertionResults.length === 0;
}
