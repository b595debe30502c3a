// `npm run docs`: writes the tables of settings into the README and docs/settings.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { withTable } from './docs/settings-tables.ts';

for (const file of ['README.md', 'docs/settings.md']) writeFileSync(file, withTable(file, readFileSync(file, 'utf8')));
