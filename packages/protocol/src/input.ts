import type { Message } from './objects/task.ts';

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a message lacks that `inputPart` cannot find. */
export const inputIsMissing = 'must have exactly one data part: the input that this agent works on';

/**
 * Position of the one data part of a message: the input of the task that it creates (docs/extensions/input.md).
 * @returns undefined: it has none, or several
 */
export function inputPart({ parts }: Pick<Message, 'parts'>): number | undefined {
  const found = parts.flatMap(({ data }, i) => (data === undefined ? [] : [i]));
  return found.length === 1 ? found[0] : undefined;
}

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
