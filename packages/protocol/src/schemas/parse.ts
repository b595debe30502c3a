import { z } from 'zod';
import { type FieldViolation, invalidParams, maxViolations } from '../errors/a2a-error.ts';
import { normaliserOf } from './proto-json.ts';

/**
 * Parses untrusted JSON by a schema: normalises the variants that ProtoJSON allows, and drops unknown fields.
 * Parts of the value may be shared with the result. Throws InvalidParams, which names every wrong field.
 * @param path of the value in violations, if it is not the whole request
 */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, path = ''): z.output<Schema> {
  const result = compiled(schema).safeParse(normaliserOf(schema)(value), context);
  if (result.success) return result.data;
  throw invalidParams(violationsOf(result.error.issues, path));
}

/** The wrong fields of a value, which is not normalised. @param path of the value, for their names */
export function violationsIn(schema: z.ZodType, value: unknown, path: string): FieldViolation[] {
  const result = schema.safeParse(value, context);
  return result.success ? [] : violationsOf(result.error.issues, path);
}

/** Makes zod describe why a value is refused, in words that follow the field's name. */
export const context = { error: describe };

const compiledSchemas = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Compiles a schema to code that is 10 times as fast; a schema that zod cannot compile works as before. It takes some
 * milliseconds, at the first use.
 */
function compiled<Schema extends z.ZodType>(schema: Schema): Schema {
  const known = compiledSchemas.get(schema);
  // The type of a WeakMap cannot express that each value has the type of its key.
  if (known) return known as Schema;
  const made = z.compile(schema);
  compiledSchemas.set(schema, made);
  return made;
}

/** Longest map key that is repeated in a path. */
const maxKeyLength = 64;

/**
 * The violations, field by field, in the order of the schema. Of a field with several only the first, which may have
 * caused the others.
 */
function violationsOf(issues: readonly z.core.$ZodIssue[], root: string): FieldViolation[] {
  const byField = new Map<string, FieldViolation>();
  for (const issue of issues) {
    for (const path of pathsOf(issue)) {
      if (byField.size === maxViolations) break;
      const field = fieldPath(root, path) || '(root)';
      if (!byField.has(field)) byField.set(field, { field, description: issue.message });
    }
  }
  return [...byField.values()];
}

/** The wrong fields: all unknown fields of an object are one issue. */
function pathsOf(issue: z.core.$ZodIssue): PropertyKey[][] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

/** For example `message.parts[0].text`; names that are not plain words are quoted. */
export function fieldPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((parent, key) => {
    if (typeof key === 'number') return `${parent}[${key}]`;
    const name = String(key).slice(0, maxKeyLength);
    if (!/^\w+$/.test(name)) return `${parent}[${JSON.stringify(name)}]`;
    return parent ? `${parent}.${name}` : name;
  }, root);
}

/** Why a value is refused, as words that follow the field's name. Never repeats the value. */
function describe(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input !== undefined) return `must be ${typeNames[issue.expected] ?? issue.expected}`;
      // To protobuf, a list that is missing is an empty one.
      return issue.expected === 'array' ? 'must not be empty' : 'is required';
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return tooSmall(issue.origin, issue.minimum);
    case 'too_big':
      return `must ${limits[issue.origin] ?? 'be'} at most ${issue.maximum}${units[issue.origin] ?? ''}`;
    case 'unrecognized_keys':
    case 'invalid_key':
      return 'is not a known field';
    default:
      return 'is not valid';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

const limits: Readonly<Record<string, string>> = { string: 'have', array: 'have' };
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

function tooSmall(origin: string, minimum: number | bigint): string {
  if (minimum <= 1 && (origin === 'string' || origin === 'array')) return 'must not be empty';
  return `must ${limits[origin] ?? 'be'} at least ${minimum}${units[origin] ?? ''}`;
}
