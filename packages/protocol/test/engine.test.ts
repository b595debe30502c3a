import { expect, test } from 'vitest';

/**
 * https://github.com/nodejs/node/issues/63785, not fixed in V8 13.6 (Node 24): after V8 has parsed a key with a
 * backslash, it may read another escaped key at the same position as that one. When this test fails, delete it, its
 * description in docs/guarantees.md, and the exclusion of backslashes in arbitraries.ts.
 */
test('V8 still has the bug that JSON.parse confuses escaped keys', () => {
  JSON.parse('{"poisoned":[],"\\\\":0}');
  expect(JSON.parse('{"poisoned":1,"\\n":2}')).toEqual({ poisoned: 1, '\\': 2 });
});
