// Makes of every published package, once built, its folder for the registry and its tarball.
//
//   npm run pack                       builds, then writes build/npm/<name>/ and build/tarballs/*.tgz
//   node scripts/release/pack.ts       the same of what is built already

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stagePackages } from './stage.ts';
import { publishedWorkspaces, root } from './workspaces.ts';

const tarballs = join(root, 'build/tarballs');
rmSync(tarballs, { recursive: true, force: true });
mkdirSync(tarballs, { recursive: true });

const folders = stagePackages(publishedWorkspaces(), process.env.GITHUB_REPOSITORY);
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', tarballs, ...folders], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
process.stdout.write(`${folders.length} packages are in build/npm, their tarballs in build/tarballs\n`);
