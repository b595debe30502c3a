import { z } from 'zod';
import { invalidParams } from './errors/invalid-params.ts';
import { normaliserOf } from './proto-json/normaliser.ts';
import { describe, violationsOf } from './violations.ts';

/**
 * Untrusted JSON as the schema has it, the liberties of ProtoJSON taken out and unknown fields dropped.
 * Parts of the value may be shared with the result. Throws InvalidParams, which names every wrong field.
 * @param path what the value is called in violations, when it is not the whole request
 */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, path = ''): z.output<Schema> {
  const result = compiled(schema).safeParse(normaliserOf(schema)(value), context);
  if (result.success) return result.data;
  throw invalidParams(violationsOf(result.error.issues, path));
}

const context = { error: describe };

const compiledSchemas = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Zod compiles a schema to code that is 10 times as fast; what it cannot compile works as before. Done at first use:
 * some milliseconds.
 */
function compiled<Schema extends z.ZodType>(schema: Schema): Schema {
  const known = compiledSchemas.get(schema);
  // A WeakMap cannot say that a value is of the type of its key.
  if (known) return known as Schema;
  const made = z.compile(schema);
  compiledSchemas.set(schema, made);
  return made;
}
