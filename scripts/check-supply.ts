// `npm run supply:check`: where packages come from, what they may do when they are installed, and on what terms.

import { globSync, readFileSync } from 'node:fs';
import { checkLockfile, type Manifest } from './supply/check-lockfile.ts';

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const workspaces = globSync(['{packages,apps,examples}/*/package.json', 'workshop/package.json']);
const manifestsIn = (files: readonly string[]) =>
  Object.fromEntries(files.map((file): [string, Manifest] => [file, read(file)]));
const problems = [
  ...checkLockfile(read('package-lock.json'), manifestsIn(['package.json', ...workspaces])),
  // What builds the site is installed for that alone.
  ...checkLockfile(read('site/package-lock.json'), manifestsIn(['site/package.json'])),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else process.stdout.write('Packages come from the registry, as they were when they were locked.\n');
