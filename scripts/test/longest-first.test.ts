import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { LongestFirst, longest } from '../../tests/support/longest-first.ts';

it('begins the long files of a group first, and knows only files that exist', async () => {
  expect(longest.filter((file) => !existsSync(file))).toEqual([]);
  const inGroup = (groupOrder: number, file: string) => {
    const project = { name: `${groupOrder}`, config: { sequence: { groupOrder } } };
    return { moduleId: `${process.cwd()}/${file}`, project } as TestSpecification;
  };
  const [first = '', second = ''] = longest;
  const files = [inGroup(2, first), inGroup(1, 'package.json'), inGroup(1, second), inGroup(1, first)];
  const cache = { getTestSpecificationResult: () => undefined };
  const sorted = await new LongestFirst({ cache } as unknown as Vitest).sort(files);
  expect(sorted).toEqual([files[3], files[2], files[1], files[0]]);
});
