import { globSync } from 'node:fs';
import { resolve } from 'node:path';

/** Files that Node runs without a build. */
const endings = 'ts,mts,js,mjs';

/** The modules of agents in a folder: `agent.ts`, else all of its folder `agents`. Empty if there are none. */
export function agentsIn(folder: string): readonly string[] {
  const [own] = globSync(`agent.{${endings}}`, { cwd: folder });
  const found = own ? [own] : globSync([`agents/*.{${endings}}`, `agents/*/agent.{${endings}}`], { cwd: folder });
  return found
    .filter((file) => !/\.(?:d|test|spec)\.\w+$/.test(file))
    .sort()
    .map((file) => resolve(folder, file));
}
