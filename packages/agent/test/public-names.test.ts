import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = globSync('packages/{agent,protocol}/src/**/*.ts').map((file) => readFileSync(file, 'utf8'));

/** The names that an entry of the package hands on. */
function namesOf(entry: string): string[] {
  const lists = readFileSync(`packages/agent/src/${entry}`, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [...lists].flatMap(([, list = '']) => list.match(/\b(?!type\b)\w+/g) ?? []);
}

/** Its declaration has a comment right before it. */
const isDescribed = (name: string): boolean =>
  sources.some((text) =>
    new RegExp(`\\*/\\nexport (?:async )?(?:class|interface|type|function|const) ${name}\\b`).test(text),
  );

it.each(['index.ts', 'testing/index.ts', 'runtime.ts'])('every name of %s says what it is', (entry) => {
  expect(namesOf(entry).length).toBeGreaterThan(5);
  expect(namesOf(entry).filter((name) => !isDescribed(name))).toEqual([]);
});
