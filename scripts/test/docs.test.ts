import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../docs/headings.ts';

const pages = globSync(['*.md', '{docs,deploy,workshop}/**/*.md', '{apps,examples,packages}/*/*.md']).filter(
  (page) => !page.includes('node_modules'),
);

const sources = globSync('{apps,examples,packages,scripts,tests,workshop}/**/*.{ts,lua,mjs}', {
  exclude: ['**/node_modules/**', '**/dist/**'],
});
const luaComment = /--.*/g;
const comment = /\/\/.*|\/\*.*|^ *\*.*/gm;
/** A file name in prose: not the end of a pattern (`*.test.ts`), a one-letter example (`a.ts`) or an include of a package. */
const fileName = /(?<![\w/.*<@-])(?:\.\.\/)*[\w-][\w./-]+\.(?:ts|lua|mjs)\b/g;

describe('comments', () => {
  it('name existing files', () => {
    const missing = sources.flatMap((file) => {
      const comments = readFileSync(file, 'utf8').match(file.endsWith('.lua') ? luaComment : comment) ?? [];
      const names = comments.join('\n').match(fileName) ?? [];
      return names.filter((name) => !isNamed(file, name)).map((name) => `${file}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

it('the page of the architecture names existing files', () => {
  const page = 'docs/architecture.md';
  const names = readFileSync(page, 'utf8').match(/(?<=`)[\w./-]+\.(?:ts|lua)(?=`)/g) ?? [];
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !isNamed(page, name))).toEqual([]);
});

describe('the decisions', () => {
  const records = globSync('docs/adr/[0-9]*.md').sort();

  it.each(records)('%s has a status and a date', (record) => {
    const [title = '', , status = ''] = readFileSync(record, 'utf8').split('\n');
    expect(title).toMatch(/^# \d{4} \S/);
    expect(status).toMatch(/^\*(?:Accepted|Proposed), \d{4}-\d{2}-\d{2}\.\*$/);
  });

  it('are there, where comments name them', () => {
    const numbers = new Set(records.map((record) => basename(record).slice(0, 4)));
    const missing = sources.flatMap((file) => {
      const named = Array.from(readFileSync(file, 'utf8').matchAll(/\badr\/(\d{4})/g), ([, number = '']) => number);
      return named.filter((number) => !numbers.has(number)).map((number) => `${file}: ${number}`);
    });
    expect(missing).toEqual([]);
  });

  it('are all in the index', () => {
    const index = readFileSync('docs/adr/README.md', 'utf8');
    const listed = Array.from(index.matchAll(/^\| \[(\d{4})\]\((\S+)\)/gm), ([, number, file]) => [number, file]);
    expect(listed.sort()).toEqual(records.map((record) => [basename(record).slice(0, 4), basename(record)]));
  });
});

describe('the docs', () => {
  it.each(pages)('%s links to existing files and headings', (page) => {
    const missing = linksIn(page).filter((link) => !isOutside(link) && !leadsSomewhere(page, link));
    expect(missing).toEqual([]);
  });

  // Tests run without internet, so the addresses themselves are not requested.
  it('link to other sites by absolute https URLs', () => {
    const outside = pages.flatMap((page) => linksIn(page).filter(isOutside));
    expect(outside.length).toBeGreaterThan(30);
    const odd = outside.filter((link) => !URL.canParse(link) || !/^https:\/\/[\w.-]+\.\w+(?:\/|$)|^mailto:/.test(link));
    expect(odd).toEqual([]);
  });

  it('name an existing test beside every attack of docs/security.md', () => {
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

  it.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names existing files', (page) => {
    const names = readFileSync(page, 'utf8').matchAll(
      /`((?:apps|packages|scripts|tests|workshop|examples)\/[\w./-]+)`/g,
    );
    expect([...names].map(([, name = '']) => name).filter((name) => !existsSync(name))).toEqual([]);
  });

  it.each(pages.filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('workshop/')))(
    '%s has lines of at most 120 columns, except tables, code and links',
    (page) => {
      const long = proseOf(page)
        .split('\n')
        .filter((line) => line.length > 120 && !/^(?:\||!?\[|<!--)/.test(line));
      expect(long.filter((line) => line.includes(' '))).toEqual([]);
    },
  );
});

/** Relative to the file, or the end of a path. */
function isNamed(file: string, name: string): boolean {
  return existsSync(join(dirname(file), name)) || existsSync(name) || sources.some((path) => path.endsWith(`/${name}`));
}

function linksIn(page: string): string[] {
  return Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
}

const isOutside = (link: string): boolean => /^\w+:/.test(link);

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || !file.endsWith('.md') || anchorsIn(file).has(anchor);
}

/** A repeated heading gets a number. */
function anchorsIn(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const again = [...anchors].filter((known) => known.replace(/-\d+$/, '') === anchor).length;
    anchors.add(again === 0 ? anchor : `${anchor}-${again}`);
  }
  return anchors;
}

function proseOf(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
}
