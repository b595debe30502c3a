import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withTable } from '../docs/settings-tables.ts';

it.each(['README.md', 'docs/settings.md'])('%s lists the current settings (npm run docs)', (file) => {
  const page = readFileSync(file, 'utf8');
  expect(withTable(file, page)).toBe(page);
});
