import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = globSync('packages/{agent,protocol}/src/**/*.ts').map((file) => readFileSync(file, 'utf8'));

/** The names that an entry of the package exports. */
function namesOf(entry: string): string[] {
  const lists = readFileSync(`packages/agent/src/${entry}`, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [...lists].flatMap(([, list = '']) => list.match(/\b(?!type\b)\w+/g) ?? []);
}

/** Whether a comment ends right before the declaration of the name. */
const isDescribed = (name: string): boolean =>
  sources.some((text) =>
    new RegExp(`\\*/\\nexport (?:async )?(?:class|interface|type|function|const) ${name}\\b`).test(text),
  );

it.each(['index.ts', 'testing/index.ts', 'runtime.ts'])('every export of %s has a doc comment', (entry) => {
  expect(namesOf(entry).length).toBeGreaterThan(5);
  expect(namesOf(entry).filter((name) => !isDescribed(name))).toEqual([]);
});
