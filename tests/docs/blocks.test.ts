import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Block, blocksOf, pages, placeOf } from './blocks.ts';
import { examplesIn, packages, writeExamples } from './docstrings.ts';
import { openFolder, typeErrors, writeSnippets } from './snippets.ts';

// Commands are run by tests/release/docs.test.ts, against a gateway and a worker.

const blocks = pages.flatMap(blocksOf);
const places = (found: readonly Block[]): string[] => found.map(placeOf);

describe('blocks of code in the docs', () => {
  it('name their language: sh, ts, json, yaml, dockerfile, or text for other output', () => {
    const known = new Set(['sh', 'ts', 'json', 'yaml', 'dockerfile', 'text']);
    // In the README, blocks without a language show a terminal.
    const unknown = blocks.filter(({ page, language }) => !known.has(language) && !(page === 'README.md' && !language));
    expect(blocks.length).toBeGreaterThan(60);
    expect(places(unknown)).toEqual([]);
  });

  it('are compiled and run, or name the reason why not', () => {
    const reasons = blocks
      .flatMap(({ notes }) => [notes['no-check'], notes['no-run']])
      .filter((why) => why !== undefined);
    expect(reasons.filter((why) => why.length < 10)).toEqual([]);
    const pieces = blocks.filter(
      ({ language, code, notes }) => language === 'ts' && !/^import /m.test(code) && !notes['no-check'],
    );
    expect(places(pieces)).toEqual([]);
  });

  it('are valid JSON and YAML if they are marked so', () => {
    const wrong = blocks.filter(({ language, code }) => {
      if (language === 'json') return !isJson(code);
      return language === 'yaml' && parseAllDocuments(code).some(({ errors }) => errors.length > 0);
    });
    expect(places(wrong)).toEqual([]);
  });
});

describe('docstrings of @switchyard/agent and the executors', () => {
  it('have an example of every function and class that authors import, and of every method of a turn', () => {
    const missing = packages.flatMap(examplesIn).flatMap(({ name, code }) => (code === '' ? [name] : []));
    expect(missing).toEqual([]);
  });
});

describe('TypeScript in the docs and docstrings', () => {
  let folder: string;
  let runnable: string[];

  beforeAll(async () => {
    folder = await openFolder();
    const written = await Promise.all(pages.map((page) => writeSnippets(page, folder)));
    await writeExamples(folder);
    runnable = written.flatMap((page) => page.runnable.map((file) => join(page.folder, file)));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('compiles', async () => {
    expect(await typeErrors(folder)).toBe('');
  });

  it('runs if it is marked', async () => {
    expect(runnable.length).toBeGreaterThanOrEqual(2);
    await Promise.all(runnable.map((file) => promisify(execFile)(process.execPath, [file])));
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
