// Publishes the folders that `npm run pack` wrote, each after those that it depends on.
//
//   npm run release:publish -- --dry-run       says what npm would send
//   npm run release:publish -- --tag v1.2.3    publishes, if that is the version
//
// A version that is there already is left alone: a release that broke off is run again.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { publishedWorkspaces, root, type Workspace } from './workspaces.ts';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, tag: { type: 'string' } } });
const workspaces = publishedWorkspaces();
const versions = new Set(workspaces.map(({ manifest }) => `v${manifest.version}`));
const [version] = versions;

if (!values['dry-run'] && (versions.size !== 1 || values.tag !== version))
  fail(`The packages are of ${[...versions].join(', ')}, not of ${values.tag ?? 'a tag'}`);
for (const workspace of workspaces) publish(workspace);

function publish({ shortName, manifest: { name, version } }: Workspace): void {
  const folder = join(root, 'build/npm', shortName);
  if (!existsSync(folder)) fail(`${folder} is missing: npm run pack`);
  if (isPublished(`${name}@${version}`)) return void process.stdout.write(`${name}@${version} is published already\n`);
  const args = ['publish', '--ignore-scripts', '--provenance', '--access', 'public'];
  execFileSync('npm', values['dry-run'] ? [...args, '--dry-run', '--silent'] : args, { cwd: folder, stdio: 'inherit' });
  process.stdout.write(`${name}@${version}${values['dry-run'] ? ' could be published' : ''}\n`);
}

function isPublished(version: string): boolean {
  const { stdout } = spawnSync('npm', ['view', '--silent', version, 'version'], { encoding: 'utf8' });
  return stdout.trim() !== '';
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
