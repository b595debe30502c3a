import type { z } from 'zod';
import { A2AError } from '../src/index.ts';
import { parse } from '../src/schemas/index.ts';

/** The fields that `parse` refuses; none if the value is valid. Rethrows any error but InvalidParams. */
export function violatedFields(schema: z.ZodType, value: unknown): string[] {
  try {
    parse(schema, value);
    return [];
  } catch (error) {
    if (error instanceof A2AError && error.code === 'InvalidParams') return error.violations.map(({ field }) => field);
    throw error;
  }
}
