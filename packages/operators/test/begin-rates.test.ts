import { expect, it } from 'vitest';
import { BeginRates } from '../src/agent-load.ts';

it('the begin rate of an agent is that of the last five to ten seconds', () => {
  const rates = new BeginRates();
  const counts = [
    { began: 100, atMs: 0 },
    { began: 110, atMs: 1_000 },
    { began: 150, atMs: 5_000 },
    { began: 150, atMs: 9_000 },
    { began: 150, atMs: 11_000 },
    { began: 150, atMs: 12_000 },
  ];
  const seen = counts.map((count) => rates.next('pizza', count));
  expect(seen.map((rate) => Math.round(10 * rate) / 10)).toEqual([0, 10, 10, 5.6, 4.5, 0]);
  expect(rates.next('another', { began: 7, atMs: 12_000 })).toBe(0);
});
