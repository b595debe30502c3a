import { expect, test } from 'vitest';

/**
 * https://github.com/nodejs/node/issues/63785, not fixed in V8 13.6 (Node 24): once an object had a key with a
 * backslash, another escaped key at its place may be read as that one. docs/guarantees.md describes it, and the
 * arbitraries of these tests make no key with a backslash. Both can go when this fails.
 */
test('the engine still takes one escaped key for another', () => {
  JSON.parse('{"poisoned":[],"\\\\":0}');
  expect(JSON.parse('{"poisoned":1,"\\n":2}')).toEqual({ poisoned: 1, '\\': 2 });
});
