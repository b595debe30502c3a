import { expect, it } from 'vitest';
import { spentFor, waitIn } from '../src/models/rate-headers.ts';

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

it.each([
  [{ 'retry-after-ms': '120', 'retry-after': '1' }, 120],
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': 'soon', 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '120ms' }, 120],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1h2m3.5s' }, 3_600_000],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1.5' }, 1_500],
  [{ 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '6m0s' }, undefined],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'later' }, undefined],
  [{}, undefined],
])('reads how long a server asks to wait: %j', (headers, ms) => {
  expect(waitIn(new Headers(headers as Record<string, string>))).toBe(ms);
});

it('reads dates and times of a limit that is spent, and the longest of several', () => {
  const headers = new Headers({
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': soon(5_000),
    'anthropic-ratelimit-output-tokens-remaining': '0',
    'anthropic-ratelimit-output-tokens-reset': soon(9_000),
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': String(Date.now() + 7_000),
  });
  expect(spentFor(headers)).toBeGreaterThan(8_000);
  expect(spentFor(headers)).toBeLessThanOrEqual(9_000);
});
