// `switchyard test`: Node's test runner for the agents of a folder, which needs no packages of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';

const usage = `Usage: switchyard test [files or patterns] [options of node --test]

Runs the tests of this folder (*.test.ts) with Node's test runner. @switchyard/agent and its test kit are those of the
folder or, if it has no packages, those beside this command.

  switchyard test
  switchyard test agent.test.ts --watch
`;

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
}

/** Without one, Node's test runner ends well. These are the names that it looks for. */
function hasTests(): boolean {
  const names = [
    '**/{*.,*-,*_,}test.{js,mjs,cjs,ts,mts,cts}',
    '**/test-*.{js,mjs,cjs,ts,mts,cts}',
    '**/test/**/*.{js,mjs,cjs,ts,mts,cts}',
  ];
  return globSync(names, { exclude: ['**/node_modules/**'] }).length > 0;
}
