import { z } from 'zod';

const isoDate = z.iso.date();
/** Micro-USD per million tokens: 1 USD is 1,000,000. */
const price = z.int().min(0).max(1e12);
const priceSchema = z.strictObject({
  /** The first day of the price, UTC. */
  from: isoDate.default('1970-01-01'),
  inputPerMillion: price,
  /** Default: as any other input. */
  cachedInputPerMillion: price.optional(),
  outputPerMillion: price,
});
/** A price table as JSON. */
export const priceFileSchema = z.strictObject({
  /** When the prices were looked up. */
  date: isoDate,
  models: z.record(z.string().min(1), z.array(priceSchema).min(1)),
});

export type PriceFile = z.input<typeof priceFileSchema>;
export type Price = z.output<typeof priceSchema>;
