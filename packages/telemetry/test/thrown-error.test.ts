import { expect, test } from 'vitest';
import { thrownError } from '../src/index.ts';

const options = { secrets: ['a-planted-secret'], folder: import.meta.dirname };

test("the place of an error is the first line of the author's code, also in a cause", () => {
  const cause = new Error('inner');
  const outer = new Error('outer', { cause });
  outer.stack = 'Error: outer\n    at run (/srv/node_modules/@switchyard/agent/dist/run.js:1:1)';
  expect(thrownError(outer, options)).toMatchObject({
    text: 'outer',
    place: { file: 'thrown-error.test.ts', source: "const cause = new Error('inner');" },
    error: { frames: [{ of: 'switchyard', file: '@switchyard/agent/dist/run.js' }] },
  });
});

test("frames are the author's, those of packages, ours and those of Node, in this order of importance", () => {
  const error = new TypeError('x');
  const others = Array.from({ length: 30 }, (_, i) => `    at node:internal/timers:${i}:1`);
  error.stack = ['TypeError: x', ...others, '    at async Oven.bake (file:///srv/agent.ts:4:2)'].join('\n');
  const { frames = [] } = thrownError(error, options).error;
  expect(frames.map(({ of }) => of)).toEqual([...Array.from({ length: 6 }, () => 'node'), 'author']);
  expect(frames.at(-1)).toEqual({
    function: 'async Oven.bake',
    file: '/srv/agent.ts',
    line: 4,
    column: 2,
    of: 'author',
  });
});

test('no line is read of a file that is no code, though a stack names it', () => {
  const error = new Error('changed later');
  error.stack = 'Error: from elsewhere\n    at x (/etc/passwd:1:1)';
  expect(thrownError(error, options).error.frames).toEqual([
    { function: 'x', file: '/etc/passwd', line: 1, column: 1, of: 'author' },
  ]);
});

test('a message that looks like frames adds none', () => {
  const error = new Error('no\n    at fake (/srv/fake.ts:1:1)');
  const { frames = [] } = thrownError(error, options).error;
  expect(frames[0]).toMatchObject({ file: 'thrown-error.test.ts' });
  expect(frames.filter(({ file }) => file.includes('fake'))).toEqual([]);
});

test('it is bounded: depth, gathered errors, frames, length; a circle of causes ends', () => {
  const many = new AggregateError(
    Array.from({ length: 50 }, (_, i) => new Error(`${i}`)),
    'm'.repeat(5_000_000),
  );
  many.cause = many;
  const { error } = thrownError(many, options);
  expect(error.message.length).toBe(1_001);
  expect(error.errors).toHaveLength(5);
  let depth = 0;
  for (let each = error.cause; each; each = each.cause) depth++;
  expect(depth).toBeLessThanOrEqual(5);
  const tree = (levels: number): Error =>
    levels === 0
      ? new Error('leaf')
      : new AggregateError(
          Array.from({ length: 5 }, () => tree(levels - 1)),
          'node',
        );
  expect(JSON.stringify(thrownError(tree(5), options)).match(/"type"/g)?.length).toBeLessThanOrEqual(20);
});

test.each([
  ['a text', 'string, not an Error: a text'],
  [{ message: 'said', key: 'a-planted-secret' }, 'object, not an Error: said'],
  [{ key: 'a-planted-secret', other: 1 }, 'object, not an Error: an object with key, other'],
  [null, 'null, not an Error: null'],
  [new RangeError('key a-planted-secret and Bearer abcdefgh'), 'RangeError: key [left out] and [left out]'],
])('the text of %j', (thrown, text) => {
  expect(thrownError(thrown, options).text).toBe(text);
});

test("the issues of a schema's error are one line, bounded", () => {
  const issue = (path: readonly unknown[], message: string) => ({ path, message });
  const error = Object.assign(new Error('[\n {}\n]'), {
    issues: [issue(['order', 0, 'pizza'], 'expected string'), issue([{ key: 'count' }], 'too small'), issue([], 'no')],
  });
  expect(thrownError(error, options).text).toBe('order.0.pizza: expected string; count: too small; no');
  const many = Object.assign(new Error('many'), { issues: Array.from({ length: 12 }, () => issue(['a'], 'b')) });
  expect(thrownError(many, options).text).toMatch(/^(?:a: b; ){10}and 2 more$/);
  const others = Object.assign(new Error('plain'), { issues: [{ number: 1 }] });
  expect(thrownError(others, options).text).toBe('plain');
});
