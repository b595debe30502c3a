// `npm run release:version`, once changesets has given the packages their version: the files that name it get it, too,
// and what CHANGELOG.md has under "Unreleased" becomes that release.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { released, withVersion } from './versioned-files.ts';
import { publishedWorkspaces, root } from './workspaces.ts';

const [version, ...others] = new Set(publishedWorkspaces().map(({ manifest }) => manifest.version));
if (version === undefined || others.length > 0)
  throw new Error(`The packages are of ${[version, ...others].join(', ')}`);
for (const [file, text] of withVersion(version)) writeFileSync(join(root, file), text);
const changelog = join(root, 'CHANGELOG.md');
writeFileSync(changelog, released(readFileSync(changelog, 'utf8'), version, new Date()));
