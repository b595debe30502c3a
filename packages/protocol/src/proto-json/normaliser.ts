import { z } from 'zod';
import { base64Schema, jsonValueSchema, timestampSchema } from '../objects/fields.ts';
import { membersOf } from '../objects/one-of.ts';
import { type Field, normaliseList, normaliseMap, normaliseObject } from './containers.ts';
import {
  type Normalise,
  normaliseBase64,
  normaliseBoolean,
  normaliseEnum,
  normaliseNumber,
  normaliseTimestamp,
} from './scalars.ts';

/**
 * What turns the liberties of ProtoJSON into the one form that the schemas describe: names in snake_case, enums by
 * number, null and empty strings for unset, numbers as strings. Made from a schema once; returns a value that needs
 * nothing as it is.
 */
export function normaliserOf(schema: z.core.$ZodType): Normalise {
  const known = normalisers.get(schema);
  if (known) return known;
  const made = compile(schema);
  normalisers.set(schema, made);
  return made;
}

const asItIs: Normalise = (value) => value;

const normalisers = new WeakMap<z.core.$ZodType, Normalise>([
  [timestampSchema, normaliseTimestamp],
  [base64Schema, normaliseBase64],
]);

function compile(schema: z.core.$ZodType): Normalise {
  if (schema instanceof z.ZodObject) return normaliseObject(fieldsOf(schema));
  if (schema instanceof z.ZodArray) return normaliseList(normaliserOf(schema.element));
  if (schema instanceof z.ZodRecord) return normaliseMap(normaliserOf(schema.valueType));
  if (schema instanceof z.ZodEnum) return normaliseEnum(schema.options);
  if (schema instanceof z.ZodNumber) return normaliseNumber;
  if (schema instanceof z.ZodBoolean) return normaliseBoolean;
  return asItIs;
}

function fieldsOf(schema: z.ZodObject): Field[] {
  const members = membersOf(schema);
  return Object.entries(schema.shape).map(([name, field]) => {
    const bare = withoutPresence(field);
    return {
      name,
      protoName: protoName(name),
      normalise: normaliserOf(bare),
      emptyIsUnset: field instanceof z.ZodExactOptional && bare instanceof z.ZodString && !members.has(name),
      nullIsValue: bare === jsonValueSchema,
    };
  });
}

/** The schema of a field's value, whether or not the field must be there. */
function withoutPresence(schema: z.core.$ZodType): z.core.$ZodType {
  const isOptional = schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault;
  return isOptional ? schema.unwrap() : schema;
}

/** The name of a field in the protobuf definition: `messageId` is `message_id`. */
function protoName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
