import { describe, expect, it } from 'vitest';
import { mediaRangesMeet } from '../src/index.ts';

describe('two media ranges', () => {
  it.each([
    ['text/plain', 'text/plain'],
    ['text/plain', 'TEXT/Plain; charset=utf-8'],
    ['text/*', 'text/markdown'],
    ['*/*', 'image/png'],
    ['*', 'image/png'],
    ['image/*', 'image/*'],
    ['text', 'text/plain'],
    ['text', 'text/*'],
  ])('%s and %s overlap, in either order', (one, other) => {
    expect(mediaRangesMeet(one, other)).toBe(true);
    expect(mediaRangesMeet(other, one)).toBe(true);
  });

  it.each([
    ['text/plain', 'text/html'],
    ['text/*', 'texture/plain'],
    ['image/*', 'text/*'],
    ['application/json', 'application/json-seq'],
    ['', 'text/plain'],
    ['text', 'texture/plain'],
  ])('%s and %s do not overlap', (one, other) => {
    expect(mediaRangesMeet(one, other)).toBe(false);
    expect(mediaRangesMeet(other, one)).toBe(false);
  });
});
