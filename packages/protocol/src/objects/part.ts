import { z } from 'zod';
import { base64Schema, jsonValueSchema, type Metadata, metadataSchema, shortTextSchema } from './fields.ts';
import { type OneOf, oneOf } from './one-of.ts';

/** §4.1.6: a piece of content. Exactly one of `text`, `raw` (base64), `url` and `data` (any JSON value, null too). */
export type Part = OneOf<{ text: string; raw: string; url: string; data: unknown }> & PartDetails;

interface PartDetails {
  metadata?: Metadata;
  filename?: string;
  /** Of every kind of part, such as `text/plain` or `application/json`. */
  mediaType?: string;
}

export const partSchema: z.ZodType<Part> = oneOf(
  { text: z.string(), raw: base64Schema, url: z.string(), data: jsonValueSchema },
  {
    metadata: metadataSchema.exactOptional(),
    filename: shortTextSchema.exactOptional(),
    mediaType: shortTextSchema.exactOptional(),
  },
);
