import { expect, test } from 'vitest';
import { retryAfterMs } from '../src/index.ts';

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

test.each([
  ['5', 5_000],
  ['0', 1_000],
  ['1000000000', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  [inSeconds(-60), 1_000],
  [inSeconds(1e9), 3_600_000],
  ['', undefined],
  [undefined, undefined],
  ['soon', undefined],
  ['1e9', undefined],
  ['Infinity', undefined],
])('Retry-After "%s" is %s ms, bounded to 1 s and 1 h; undefined if it is invalid', (header, ms) => {
  expect(retryAfterMs(header)).toBe(ms);
});
