import { text } from 'node:stream/consumers';
import { type Guarded, spawnGuarded } from '../processes/guard.ts';

/** Builds the console, if it has changed, beside what is more urgent. @param onFailure gets what went wrong */
export async function startConsoleBuild(onFailure: (problem: string) => void): Promise<Guarded> {
  const build = await spawnGuarded('nice', ['-n', '10', process.execPath, 'scripts/console/build.ts']);
  const said = text(build.stderr);
  build.exited.then(async (code) => {
    if (code !== 0 && code < 128) onFailure(await said);
  });
  return build;
}
