import { z } from 'zod';
import { idSchema, metadataSchema, shortTextSchema, shortTextsSchema } from './fields.ts';
import { partSchema } from './part.ts';

/** Most parts of one artifact: those of a long stream whose chunks are kept apart. */
const partsLength = 100_000;

/**
 * §4.1.7: an output of a task. `parts` may be empty: an append that only closes an artifact (`lastChunk`) adds nothing.
 */
export const artifactSchema = z.object({
  artifactId: idSchema,
  name: shortTextSchema.exactOptional(),
  description: z.string().exactOptional(),
  parts: z.array(partSchema).max(partsLength).default([]),
  metadata: metadataSchema.exactOptional(),
  extensions: shortTextsSchema.exactOptional(),
});
export type Artifact = z.infer<typeof artifactSchema>;
