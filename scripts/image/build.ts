// Puts together what the image has, in a folder: the packages as they are published, what they depend on, exactly as the
// lock file has it, and a list of all of it (an SBOM). `npm run pack` comes before it.
//
//   node scripts/image/build.ts <folder>

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { publishedWorkspaces, root } from '../release/workspaces.ts';

/** What runs, and what an agent may import; what these depend on comes with them. */
const names = ['cli', 'agent', 'executor-command', 'executor-openai', 'executor-remote', 'executor-sdk'];
/** Of other people's packages: what is there for people and compilers. */
const unused = /\.(?:[cm]?ts|map|md|markdown|flow|tsbuildinfo)$/;
const ofPackages = ['--omit=dev', ...names.map((name) => `--workspace=@switchyard/${name}`)];

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: node scripts/image/build.ts <folder>');
const app = join(folder, 'app');
mkdirSync(app, { recursive: true });
const [, ...paths] = npm('ls', '--all', '--parseable', ...ofPackages)
  .trim()
  .split('\n');
for (const path of paths) copy(path);
symlinkSync('node_modules/@switchyard/cli/bin/switchyard.mjs', join(app, 'switchyard.mjs'));
cpSync(join(root, 'deploy/image/health.mjs'), join(app, 'health.mjs'));
writeFileSync(join(app, 'sbom.cdx.json'), JSON.stringify(sbomOf(new Set(paths.map(idOf))), null, 2));
// So that a module of agents finds the packages wherever it lies. A node_modules of its own comes before this one.
symlinkSync('app/node_modules', join(folder, 'node_modules'));

function npm(...args: readonly string[]): string {
  return execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

interface Sbom {
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** npm's list of all that is installed, without what the image does not have: `--omit=dev` would leave out more. */
function sbomOf(ids: ReadonlySet<string>): Sbom {
  const sbom: Sbom = JSON.parse(npm('sbom', '--sbom-format=cyclonedx'));
  return {
    ...sbom,
    components: sbom.components.filter((component) => ids.has(component['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => ids.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => ids.has(id)) })),
  };
}

function idOf(path: string): string {
  const { name, version }: { name: string; version: string } = JSON.parse(
    readFileSync(join(path, 'package.json'), 'utf8'),
  );
  return `${name}@${version}`;
}

/** A package without those within it, which are in the list themselves. */
function copy(path: string): void {
  const ours = publishedWorkspaces().find(({ manifest }) => path.endsWith(`/node_modules/${manifest.name}`));
  const from = ours ? join(root, 'build/npm', ours.shortName) : path;
  cpSync(from, join(app, placeOf(path)), {
    recursive: true,
    filter: (file) => !relative(from, file).startsWith('node_modules') && !unused.test(file),
  });
}

/** What npm has put into a workspace goes to where that workspace's package is. */
function placeOf(path: string): string {
  const owner = publishedWorkspaces().find(({ folder: workspace }) => path.startsWith(`${workspace}/node_modules/`));
  return owner ? join('node_modules', owner.manifest.name, relative(owner.folder, path)) : relative(root, path);
}
