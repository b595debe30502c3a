import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import '@switchyard/operators';
import '@switchyard/schedules';
import '@switchyard/pace';
import '@switchyard/upkeep';
import '../src/index.ts';
import { definedScripts, INCLUDE, includedFile, withIncludes } from '@switchyard/redis';

// The header of each script names its keys and arguments in order. These tests compare it with the definition in
// TypeScript and with the Lua code.

const packages = new URL('../../', import.meta.url);
const FILES = '*/src/**/';
const SECTION = /^-- (KEYS|ARGV|EACH) {2}(.*(?:\n-- {7}.*)*)/gm;
const ENTRY = /^(?:-- {7})?(?:<(?<those>[a-z-]+)>|(?<name>[a-z][a-z_0-9]*[?*]?))(?: {2}|$)/;
const READ = /^ *local ([\w, ]+?) =\s+unpack\((KEYS|ARGV)(?:, (\d+))?(?:, \d+)?\)/gm;
const WRITES = /redis\.call\('(?:[HZSLXR]?(?:SET|ADD|REM|DEL|PUSH|POP)|X?(?:P?EXPIRE|UNLINK|APPEND)|INCRBY)/;

type Section = 'KEYS' | 'ARGV' | 'EACH';

/** Names of a section: `<record>` stands for those of record.lua. */
function namesIn(file: URL, section: Section): string[] {
  const header = readFileSync(file, 'utf8');
  const [, , body = ''] = [...header.matchAll(SECTION)].find(([, name]) => name === section) ?? [];
  return body.split('\n').flatMap((line) => {
    const { those, name } = ENTRY.exec(line)?.groups ?? {};
    return those ? namesIn(fileNamed(those), section) : (name ?? []);
  });
}

function fileNamed(stem: string): URL {
  const [path] = globSync(`${FILES}${stem}.lua`, { cwd: packages });
  if (path === undefined) throw new Error(`There is no ${stem}.lua.`);
  return new URL(path, packages);
}

const inLua = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const scripts = definedScripts.map((definition) => {
  const url = new URL(definition.file, definition.from);
  return { name: fileURLToPath(url).slice(fileURLToPath(packages).length), url, definition };
});

test('every .lua file is a defined script, or included by one', () => {
  const files = globSync(`${FILES}*.lua`, { cwd: packages }).map((file) => new URL(file, packages));
  const parts = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(INCLUDE)].map(([, part = '']) => includedFile(part, file)),
  );
  const known = new Set([...scripts.map(({ url }) => url), ...parts].map(String));
  expect(files.map(String).filter((file) => !known.has(file))).toEqual([]);
});

describe.each(scripts)('$name', ({ url, definition }) => {
  test('is defined with the keys and arguments of its header', () => {
    expect(definition.keys.map(inLua)).toEqual(namesIn(url, 'KEYS'));
    expect(definition.args.map(inLua)).toEqual(namesIn(url, 'ARGV'));
    expect((definition.each ?? []).map(inLua)).toEqual(namesIn(url, 'EACH'));
  });

  test('reads keys and arguments by the names and in the order of its header', () => {
    const code = withIncludes(url);
    for (const [, locals = '', section = '', from = '1'] of code.matchAll(READ)) {
      const names = namesIn(url, section as Section).slice(Number(from) - 1);
      const read = locals.split(',').map((local) => local.trim().replace(/_key$/, ''));
      const expected = names.map((name) => name.replace(/[?*]$/, '').replace(/_key$/, ''));
      expect(read.map((name, i) => (name === '_' ? '_' : expected[i]))).toEqual(read);
    }
    expect(code.replace(/--.*/g, '')).not.toMatch(/\b(?:KEYS|ARGV)\[\d+\]/);
  });

  test('describes its reply and, if it writes, its invariant', () => {
    const header = readFileSync(url, 'utf8');
    expect(header).toMatch(/^-- Returns {2}\S/m);
    if (WRITES.test(header)) expect(header).toMatch(/^-- Invariant\b.*: /m);
  });
});
