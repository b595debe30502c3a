import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// On npm, `switchyard` is a package of others: `npx switchyard` fetches it wherever ours is not installed.

const pages = globSync(['*.md', '{docs,examples,apps,packages}/**/*.md'], {
  exclude: (name) => /node_modules|dist|adr|CHANGELOG/.test(name),
});
const sources = globSync('{apps,packages}/*/{src,template}/**/*.{ts,mjs}');

/** What installs the command, or runs where it is installed, before the first `npx switchyard` of a page. */
const installs =
  /npm start|npm run example|npm run dev|npm create @switchyard|npm install[^\n]*@switchyard\/cli|this repository/;

it('A page says `npx switchyard` only after it has said how the command is installed', () => {
  expect(pages.length).toBeGreaterThan(40);
  const unsafe = pages.filter((page) => {
    const text = readFileSync(page, 'utf8');
    const at = text.search(/npx switchyard(?!-)/);
    return at >= 0 && !installs.test(text.slice(0, at));
  });
  expect(unsafe).toEqual([]);
});

it('No page suggests `npx` with the name of another program of ours, which is no package', () => {
  const named = pages.filter((page) => /npx switchyard-(?:gateway|worker)/.test(readFileSync(page, 'utf8')));
  expect(named).toEqual([]);
});

it('The code suggests `npx switchyard` only where it has found the installed command', () => {
  const suggesting = sources.filter((file) => {
    const code = readFileSync(file, 'utf8').replaceAll(/\/\*\*?[\s\S]*?\*\//g, '');
    return code.includes('npx switchyard');
  });
  expect(suggesting).toEqual(['apps/cli/src/data-folder/data-folder.ts']);
});
