import { globSync } from 'node:fs';
import { resolve } from 'node:path';

/** Files that Node runs without a build. */
const extensions = 'ts,mts,js,mjs';

/** The modules of agents in a folder: `agent.ts`, else all of its folder `agents`. Empty if there are none. */
export function findAgents(folder: string): readonly string[] {
  const [own] = globSync(`agent.{${extensions}}`, { cwd: folder });
  const found = own ? [own] : globSync([`agents/*.{${extensions}}`, `agents/*/agent.{${extensions}}`], { cwd: folder });
  return found
    .filter((file) => !/\.(?:d|test|spec)\.\w+$/.test(file))
    .sort()
    .map((file) => resolve(folder, file));
}
