import type { JsonSchema } from '@switchyard/protocol';

/** Data that the schema most likely accepts, with only what it requires: for commands to paste. */
export function inputExample(schema: JsonSchema): unknown {
  const { type, default: usual, const: only, enum: choices, examples, anyOf, minimum, minLength } = schema;
  for (const value of [usual, only, Object(examples)[0], Object(choices)[0]]) if (value !== undefined) return value;
  const [first] = Array.isArray(anyOf) ? anyOf : [];
  if (first) return inputExample(first);
  if (type === 'string') return 'text'.padEnd(Number(minLength ?? 0), '.');
  if (type === 'number' || type === 'integer') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type !== 'object') return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(required.map((name) => [name, inputExample(Object(Object(schema.properties)[name]))]));
}
