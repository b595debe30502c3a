import { expect, it } from 'vitest';
import { modulesOf } from '../../../tests/support/modules-of.ts';

it.each([
  // jose comes with the SDK, which serves gRPC and A2A 0.3.
  ['gateway', /\/node_modules\/pg\//],
  ['worker', /\/node_modules\/(?:pg|jose)\//],
])('a %s loads the libraries of an archive and of signatures only if it has settings for them', async (app, ofFew) => {
  const modules = await modulesOf(`apps/${app}/src/main.ts`, ['--help']);
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.filter((url) => ofFew.test(url))).toEqual([]);
});
