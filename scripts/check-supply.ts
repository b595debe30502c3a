// `npm run supply:check`: where packages come from, what they may do when they are installed, and on what terms.

import { globSync, readFileSync } from 'node:fs';
import { checkLockfile, type Manifest } from './supply/check-lockfile.ts';

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const manifests = ['package.json', ...globSync(['{packages,apps,examples}/*/package.json', 'workshop/package.json'])];
const problems = checkLockfile(
  read('package-lock.json'),
  Object.fromEntries(manifests.map((file): [string, Manifest] => [file, read(file)])),
);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else process.stdout.write('Packages come from the registry, as they were when they were locked.\n');
