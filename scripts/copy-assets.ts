// Part of a package's build: copies the files that tsc leaves behind, to the same place below another folder.
//
//   node scripts/copy-assets.ts src dist .lua

import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';

const [from, to, extension] = process.argv.slice(2);
if (!from || !to || !extension) throw new Error('usage: copy-assets <from> <to> <extension>');

for (const file of globSync(`**/*${extension}`, { cwd: from })) cpSync(join(from, file), join(to, file));
