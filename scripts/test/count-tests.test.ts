import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

interface Try {
  readonly status: 'passed' | 'failed';
  readonly errors?: readonly string[];
}

/** The last lines of CI for one file with these tests, named `test 1`, `test 2` … */
function lastLines(tests: readonly Try[]): { lines: string[]; code: number | null } {
  const folder = mkdtempSync(join(tmpdir(), 'count-tests-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tests.json');
  const failed = tests.filter(({ status }) => status === 'failed').length;
  const assertionResults = tests.map(({ status, errors = [] }, i) => ({
    fullName: `test ${i + 1}`,
    status,
    failureMessages: errors,
  }));
  const testResults = [{ name: join(process.cwd(), 'a.test.ts'), status: 'passed', message: '', assertionResults }];
  const counts = { numPassedTests: tests.length - failed, numFailedTests: failed, numPendingTests: 0, numTodoTests: 0 };
  writeFileSync(file, JSON.stringify({ ...counts, testResults }));
  const { stdout, status } = spawnSync(process.execPath, ['scripts/count-tests.ts', file], { encoding: 'utf8' });
  return { lines: stdout.trim().split('\n'), code: status };
}

test('a test that passed at its second try is named, and counts as passed', () => {
  const error = 'Error: too late\n    at somewhere.ts:3:1';
  expect(lastLines([{ status: 'passed' }, { status: 'passed', errors: [error] }])).toEqual({
    lines: ['unsteady: a.test.ts > test 2: Error: too late', '2 passed, 0 failed'],
    code: 0,
  });
});

test('a test that failed is named with the end of its error, where the output of a program says why', () => {
  const error = `Error: main.ts did not print "ready". It printed:\n${'a line\n'.repeat(500)}Reason: no Redis`;
  const { lines, code } = lastLines([{ status: 'passed' }, { status: 'failed', errors: [error] }]);
  expect(lines[0]).toMatch(/^failed: a.test.ts > test 2: Error: main.ts did not print "ready".*Reason: no Redis$/);
  expect(lines[0]?.length).toBeLessThan(1_000);
  expect([lines[1], code]).toEqual(['1 passed, 1 failed', 1]);
});
