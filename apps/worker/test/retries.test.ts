import { defineAgent } from '@switchyard/agent';
import { retryDelayMs } from '@switchyard/agent/runtime';
import { describe, expect, test } from 'vitest';

const { retry } = defineAgent({
  id: 'patient',
  card: { name: 'Patient', description: 'Tries again.', version: '1.0.0', skills: [] },
  retry: { backoffMs: 100, maxBackoffMs: 1_000, maxRetryAfterMs: 5_000 },
  execute: (turn) => turn.complete(),
});

describe('the delay before the next attempt', () => {
  test.each([
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1_000],
    [100, 1_000],
  ])('after attempt %d is at most %d ms and at least half of that, at random', (attempt, longest) => {
    const delays = Array.from({ length: 200 }, () => retryDelayMs(retry, attempt));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(longest / 2);
    expect(Math.max(...delays)).toBeLessThanOrEqual(longest);
    expect(new Set(delays).size).toBeGreaterThan(100);
  });

  test('is the retryAfterMs of the error, at most maxRetryAfterMs of the policy', () => {
    expect(retryDelayMs(retry, 1, 10)).toBe(10);
    expect(retryDelayMs(retry, 1, 5_000)).toBe(5_000);
    expect(retryDelayMs(retry, 1, 3_600_000)).toBe(5_000);
  });

  test('is that of the policy if retryAfterMs is not a number, as when an agent reads a date as seconds', () => {
    expect(retryDelayMs(retry, 1, Number('Wed, 21 Oct 2026 07:28:00 GMT') * 1_000)).toBeLessThanOrEqual(100);
  });
});
