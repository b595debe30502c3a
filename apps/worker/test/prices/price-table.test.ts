import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PriceTable } from '../../src/prices/price-table.ts';

const table = new PriceTable({
  date: '2026-11-28',
  models: {
    small: [
      { from: '2026-01-01', inputPerMillion: 2_000_000, outputPerMillion: 8_000_000 },
      { from: '2026-06-01', inputPerMillion: 1_000_000, cachedInputPerMillion: 100_000, outputPerMillion: 4_000_000 },
    ],
  },
});
const day = new Date('2026-11-28T12:00:00Z');

it('gives the cost in micro-USD, with the price of the day', () => {
  expect(table.costOf('small', { inputTokens: 1_000, outputTokens: 500 }, day)).toBe(3_000);
  expect(table.costOf('small', { inputTokens: 1_000, outputTokens: 500 }, new Date('2026-05-31'))).toBe(6_000);
  expect(table.costOf('small', { inputTokens: 1_000, cachedTokens: 900 }, day)).toBe(190);
});

it('rounds up, and is exact for many tokens', () => {
  expect(table.costOf('small', { inputTokens: 1, cachedTokens: 1 }, day)).toBe(1);
  expect(table.costOf('small', { outputTokens: 9_000_000_000_000 }, day)).toBe(36_000_000_000_000);
});

it.each(['small-2026-02-03', 'small-20260203', 'openai/small', 'small-latest'])('knows the model as %s', (model) => {
  expect(table.costOf(model, { inputTokens: 7 }, day)).toBe(7);
});

it('knows no cost of other models, of days before the first price, and of requests without tokens', () => {
  expect(table.costOf('smaller', { inputTokens: 7 }, day)).toBeUndefined();
  expect(table.costOf('small', { inputTokens: 7 }, new Date('2025-12-31'))).toBeUndefined();
  expect(table.costOf('small', {}, day)).toBeUndefined();
});

it('has default prices, which say their date', () => {
  const { date } = new PriceTable();
  expect(date).toBe('2025-12-01');
  expect(new PriceTable().costOf('gpt-4o-mini', { inputTokens: 1_000_000 }, day)).toBe(150_000);
});

it('names what is wrong in a file', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'prices-')), 'prices.json');
  writeFileSync(path, JSON.stringify({ date: 'today', models: { small: [{ inputPerMillion: 0.5 }] } }));
  expect(() => PriceTable.read(path)).toThrow(/date[\s\S]*inputPerMillion[\s\S]*outputPerMillion/);
});
