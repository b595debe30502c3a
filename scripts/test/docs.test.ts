import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/*.md', 'examples/*/*.md']);

const sources = globSync('{apps,examples,packages,scripts,tests,workshop}/**/*.{ts,lua,mjs}', {
  exclude: ['**/node_modules/**', '**/dist/**'],
});
const luaComment = /--.*/g;
const comment = /\/\/.*|\/\*.*|^ *\*.*/gm;
/** A file in prose: not the end of a pattern (`*.test.ts`), nor an example of one letter (`a.ts`). */
const fileName = /(?<![\w/.*<-])(?:\.\.\/)*[\w-][\w./-]+\.(?:ts|lua|mjs)\b/g;

describe('comments', () => {
  it('name files that are there', () => {
    const missing = sources.flatMap((file) => {
      const comments = readFileSync(file, 'utf8').match(file.endsWith('.lua') ? luaComment : comment) ?? [];
      const names = comments.join('\n').match(fileName) ?? [];
      return names.filter((name) => !isNamed(file, name)).map((name) => `${file}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

describe('the docs', () => {
  it.each(pages)('%s links to files that are there', (page) => {
    const links = readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g);
    const missing = [...links]
      .map(([, link = '']) => link)
      .filter((link) => !/^\w+:/.test(link) && !isThere(page, link));
    expect(missing).toEqual([]);
  });

  it('name, beside every attack of docs/security.md, a test that is there', () => {
    const rows = readFileSync('docs/security.md', 'utf8').match(/^\|(?! *attack)(?![-|]+$).*\|$/gm) ?? [];
    const tests = rows.map((row) => row.split('|').at(-2)?.trim() ?? '');
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter((row) => !/`[\w./-]+\.test\.ts`|^the same\b/.test(row.split('|').at(-2)?.trim() ?? ''))).toEqual(
      [],
    );
    const named = tests.flatMap((cell) =>
      Array.from(cell.matchAll(/`([\w./-]+\.test\.ts)`/g), ([, file = '']) => file),
    );
    expect(
      [...new Set(named)].filter((file) => !/\b(?:it|test)\b/.test(existsSync(file) ? readFileSync(file, 'utf8') : '')),
    ).toEqual([]);
  });

  it('have every decision in the list of decisions', () => {
    const list = readFileSync('docs/adr/README.md', 'utf8');
    expect(globSync('0*.md', { cwd: 'docs/adr' }).filter((file) => !list.includes(`](${file})`))).toEqual([]);
  });

  it.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names files that are there', (page) => {
    const names = readFileSync(page, 'utf8').matchAll(
      /`((?:apps|packages|scripts|tests|workshop|examples)\/[\w./-]+)`/g,
    );
    expect([...names].map(([, name = '']) => name).filter((name) => !existsSync(name))).toEqual([]);
  });

  it.each(pages.filter((page) => page !== 'CHANGELOG.md'))(
    '%s has lines of at most 120 columns, but for tables, code and links',
    (page) => {
      const prose = readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
      const long = prose.split('\n').filter((line) => line.length > 120 && !/^(?:\||!?\[|<!--)/.test(line));
      expect(long.filter((line) => line.includes(' '))).toEqual([]);
    },
  );
});

/** Relative to the file, or the end of a path. */
function isNamed(file: string, name: string): boolean {
  return existsSync(join(dirname(file), name)) || existsSync(name) || sources.some((path) => path.endsWith(`/${name}`));
}

function isThere(page: string, link: string): boolean {
  return existsSync(join(dirname(page), link));
}
