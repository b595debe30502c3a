import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registryManifest } from './registry-manifest.ts';
import { root, type Workspace } from './workspaces.ts';

const staged = join(root, 'build/npm');

/**
 * Writes each package's folder as the registry gets it. The packages are built.
 * @returns the folders, in the order of the packages
 */
export function stagePackages(workspaces: readonly Workspace[], repository: string | undefined): string[] {
  rmSync(staged, { recursive: true, force: true });
  return workspaces.map((workspace) => stage(workspace, repository));
}

function stage({ shortName, folder, manifest }: Workspace, repository: string | undefined): string {
  const to = join(staged, shortName);
  mkdirSync(to, { recursive: true });
  writeJson(join(to, 'package.json'), registryManifest(manifest, repository));
  writeFileSync(join(to, 'README.md'), readmeOf(folder, manifest));
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
  for (const name of manifest.files ?? ['bin', 'dist']) {
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(to, name), { recursive: true });
  }
  return to;
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** A package that users install has a page of its own; of the others it says only what they are part of. */
function readmeOf(folder: string, { name, description = '' }: Workspace['manifest']): string {
  const own = join(folder, 'README.md');
  if (existsSync(own)) return readFileSync(own, 'utf8');
  const [, what] = /^Internal to Switchyard: (.+)$/.exec(description) ?? [];
  if (what === undefined)
    throw new Error(`${name} has no README.md, and its description does not say that it is internal`);
  return `# ${name}

${what.charAt(0).toUpperCase()}${what.slice(1)}.

A part of Switchyard, a gateway for agents that speak the [A2A protocol](https://a2a-protocol.org) with a message queue
behind it. There is no promise outside Switchyard: what this package exports may change in every release. Install
[@switchyard/agent](https://www.npmjs.com/package/@switchyard/agent) to write an agent, and
[@switchyard/cli](https://www.npmjs.com/package/@switchyard/cli) to run one.
`;
}
