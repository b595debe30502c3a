import { readJsonFile } from '@switchyard/settings';
import { z } from 'zod';
import { defaultPrices } from './default-prices.ts';
import { type Price, type PriceFile, priceFileSchema } from './price-file.ts';

/** Tokens of one request or more: cached ones are a part of the input, thoughts of the output. */
export interface PricedTokens {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
}

/** What models cost. */
export class PriceTable {
  readonly date: string;
  readonly #models: ReadonlyMap<string, readonly Price[]>;

  constructor(file: PriceFile = defaultPrices) {
    const { date, models } = priceFileSchema.parse(file);
    this.date = date;
    this.#models = new Map(
      Object.entries(models).map(([model, prices]) => [
        model,
        prices.toSorted((a, b) => (a.from < b.from ? 1 : -1)), // the latest first
      ]),
    );
  }

  /** @throws {Error} naming every field of the file that is wrong */
  static read(path: string): PriceTable {
    const result = priceFileSchema.safeParse(readJsonFile(path));
    if (!result.success) throw new Error(`the file is no price table: ${z.prettifyError(result.error)}`);
    return new PriceTable(result.data);
  }

  /** In micro-USD, rounded up to whole ones; undefined: the price is not known. @param at the day of the request */
  costOf(model: string, { inputTokens, outputTokens, cachedTokens = 0 }: PricedTokens, at: Date): number | undefined {
    if (inputTokens === undefined && outputTokens === undefined) return undefined;
    const day = at.toISOString().slice(0, 10);
    const found = this.#pricesOf(model)?.find(({ from }) => from <= day);
    if (!found) return undefined;
    const input = inputTokens ?? 0;
    const cached = Math.min(cachedTokens, input);
    const { inputPerMillion, cachedInputPerMillion = inputPerMillion, outputPerMillion } = found;
    const millionths =
      BigInt(input - cached) * BigInt(inputPerMillion) +
      BigInt(cached) * BigInt(cachedInputPerMillion) +
      BigInt(outputTokens ?? 0) * BigInt(outputPerMillion);
    return Number((millionths + 999_999n) / 1_000_000n);
  }

  /** Servers name a version, `gpt-4o-2024-08-06`, and gateways a provider, `openai/gpt-4o`. */
  #pricesOf(model: string): readonly Price[] | undefined {
    const name = model.slice(model.lastIndexOf('/') + 1);
    const base = name.replace(/(?:[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest))$/, '');
    return this.#models.get(model) ?? this.#models.get(name) ?? this.#models.get(base);
  }
}
