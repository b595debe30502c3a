// `switchyard test`: Node's test runner for the agents of a folder, which needs no packages of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';

const usage = `Usage: switchyard test [files or patterns] [options of node --test]

Runs the tests of this folder (*.test.ts) with Node's test runner. @switchyard/agent and its test kit are those of the
folder or, if it has no packages, those beside this command.

  switchyard test
  switchyard test agent.test.ts --watch
`;

/** The names of tests for which Node's test runner looks. */
const names = [
  '**/{*.,*-,*_,}test.{js,mjs,cjs,ts,mts,cts}',
  '**/test-*.{js,mjs,cjs,ts,mts,cts}',
  '**/test/**/*.{js,mjs,cjs,ts,mts,cts}',
];

const given = process.argv.slice(2);
if (given.includes('--help') || given.includes('-h')) process.stdout.write(usage);
else if (!given.some((each) => !each.startsWith('-')) && !hasTests()) {
  process.stderr.write('There are no tests here: write agent.test.ts, as docs/your-own-folder.md shows.\n');
  process.exitCode = 1;
} else {
  const hooks = import.meta.resolve(import.meta.url.endsWith('.ts') ? './own-packages.ts' : './own-packages.js');
  const runner = spawn(process.execPath, ['--import', hooks, '--test', ...given], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both; the runner then stops its tests, and this program ends with it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => runner.kill('SIGTERM'));
  const [code] = await once(runner, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
  if (code !== 0) process.stderr.write(otherRunners());
}

/** What to do about tests that are written for another runner: Node's shows only an error from inside its code. */
function otherRunners(): string {
  const files = given.filter((each) => /\.[cm]?[jt]s$/.test(each));
  return testFiles(files.length > 0 ? files : names)
    .flatMap((file) => {
      const [, runner] = /\bfrom ['"](vitest|@jest\/globals)['"]/.exec(readFileSync(file, 'utf8')) ?? [];
      if (runner === undefined) return [];
      const command = runner === 'vitest' ? 'npx vitest run' : 'npx jest';
      return [`${file} is a test for ${runner}: run it with "${command} ${file}". switchyard test needs node:test.\n`];
    })
    .join('');
}

/** Without one, Node's test runner ends well. */
function hasTests(): boolean {
  return testFiles(names).length > 0;
}

function testFiles(patterns: readonly string[]): string[] {
  return globSync(patterns, { exclude: ['**/node_modules/**'] });
}
