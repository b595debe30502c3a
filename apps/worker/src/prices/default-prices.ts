import type { PriceFile } from './price-file.ts';

const dollars = (usd: number): number => Math.round(usd * 1_000_000);

/** @param usd per million tokens: input, cached input, output */
function price(...usd: readonly [input: number, cached: number, output: number]) {
  const [inputPerMillion, cachedInputPerMillion, outputPerMillion] = usd.map(dollars) as [number, number, number];
  return [{ inputPerMillion, cachedInputPerMillion, outputPerMillion }];
}

/**
 * The published list prices of that day, without discounts, surcharges for long prompts, and other currencies. They
 * change: a deployment that bills by them sets MODEL_PRICES.
 */
export const defaultPrices: PriceFile = {
  date: '2025-12-01',
  models: {
    'gpt-5.1': price(1.25, 0.125, 10),
    'gpt-5': price(1.25, 0.125, 10),
    'gpt-5-mini': price(0.25, 0.025, 2),
    'gpt-5-nano': price(0.05, 0.005, 0.4),
    'gpt-4.1': price(2, 0.5, 8),
    'gpt-4.1-mini': price(0.4, 0.1, 1.6),
    'gpt-4.1-nano': price(0.1, 0.025, 0.4),
    'gpt-4o': price(2.5, 1.25, 10),
    'gpt-4o-mini': price(0.15, 0.075, 0.6),
    o3: price(2, 0.5, 8),
    'o4-mini': price(1.1, 0.275, 4.4),
    'claude-opus-4-5': price(5, 0.5, 25),
    'claude-opus-4-1': price(15, 1.5, 75),
    'claude-sonnet-4-5': price(3, 0.3, 15),
    'claude-sonnet-4': price(3, 0.3, 15),
    'claude-haiku-4-5': price(1, 0.1, 5),
    'gemini-2.5-flash': price(0.3, 0.03, 2.5),
    'gemini-2.5-flash-lite': price(0.1, 0.01, 0.4),
  },
};
