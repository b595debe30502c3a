import { text } from 'node:stream/consumers';
import type { Operators, Session } from '@switchyard/cli/up';
import { type GuardedProcess, spawnGuarded } from '@switchyard/local';

/** Builds the console if it has changed, at a low priority. Undefined: there is no console. */
export function consoleBuild(
  { terminal }: Pick<Session, 'terminal'>,
  { consoleUrl }: Operators,
): (() => Promise<GuardedProcess>) | undefined {
  if (consoleUrl === undefined) return undefined;
  return async () => {
    const build = await spawnGuarded('nice', ['-n', '10', process.execPath, 'scripts/console/build.ts']);
    const errors = text(build.stderr);
    build.exited.then(async (code) => {
      if (code !== 0 && code < 128) terminal.say('switchyard', notBuilt(await errors));
    });
    return build;
  };
}

function notBuilt(problem: string): string {
  return `the console cannot be built; node scripts/console/build.ts tries again:\n${problem}`;
}
