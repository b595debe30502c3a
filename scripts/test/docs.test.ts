import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/*.md', 'examples/*/*.md']);

describe('the docs', () => {
  it.each(pages)('%s links to files that are there', (page) => {
    const links = readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g);
    const missing = [...links]
      .map(([, link = '']) => link)
      .filter((link) => !/^\w+:/.test(link) && !isThere(page, link));
    expect(missing).toEqual([]);
  });
});

function isThere(page: string, link: string): boolean {
  return existsSync(join(dirname(page), link));
}
