import { z } from 'zod';
import type { FieldViolation } from '../errors/a2a-error.ts';
import type { JsonSchema } from '../input.ts';
import { violationsIn } from './parse.ts';

/**
 * Checks data by the JSON Schema of an agent, for processes that many agents share: its cost grows with the size of the
 * data and of the schema, not faster. So it does not check patterns, formats, unique entries and whatever recurs; of
 * those it accepts everything, and the agent's worker refuses it.
 */
export class DataCheck {
  readonly #schema: z.ZodType;

  constructor(schema: JsonSchema) {
    this.#schema = zodSchema(schema);
  }

  /** The wrong fields. @param path of the data, for their names */
  violations(data: unknown, path: string): FieldViolation[] {
    return violationsIn(this.#schema, data, path);
  }
}

/** A schema that zod cannot read accepts everything. */
function zodSchema(schema: JsonSchema): z.ZodType {
  try {
    return z.fromJSONSchema(quick(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return z.unknown();
  }
}

/** Keywords that are kept as they are. */
const limits = [
  'type',
  'required',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
];

/** The schema without the keywords that are not checked. It accepts whatever the whole one accepts. */
function quick(schema: unknown): unknown {
  if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {};
  if ('$ref' in schema || '$dynamicRef' in schema) return {};
  const { properties, additionalProperties, patternProperties, items, prefixItems, anyOf, oneOf, allOf } = schema;
  const forms = anyOf ?? oneOf;
  return {
    ...Object.fromEntries(limits.flatMap((name) => (name in schema ? [[name, schema[name]]] : []))),
    ...scalars(schema),
    ...(isObject(properties) && { properties: mapValues(properties, quick) }),
    ...(additionalProperties !== undefined &&
      patternProperties === undefined && { additionalProperties: quick(additionalProperties) }),
    ...(items !== undefined && { items: quick(items) }),
    ...(Array.isArray(prefixItems) && { prefixItems: prefixItems.map(quick) }),
    // Of forms that were made wider, several may fit where exactly one did.
    ...(Array.isArray(forms) && { anyOf: forms.map(quick) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(quick) }),
  };
}

/** `const` and `enum`, if their values can be compared. */
function scalars({ const: only, enum: any }: JsonSchema): object {
  if (only !== undefined && !isObject(only) && !Array.isArray(only)) return { const: only };
  if (!Array.isArray(any) || any.some((value) => typeof value === 'object' && value !== null)) return {};
  return { enum: any };
}

function mapValues(object: JsonSchema, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
