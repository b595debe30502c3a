import { z } from 'zod';
import type { JsonObject } from '../objects/json.ts';
import { base64Schema, isJsonObject, jsonValueSchema, membersOf, timestampSchema } from './fields.ts';

/**
 * Makes a function that normalises the variants that ProtoJSON allows to the form that the schema describes: names in
 * snake_case, enums by number, null and empty strings for unset, numbers as strings. It returns a value that needs no
 * change as it is.
 */
export function normaliserOf(schema: z.core.$ZodType): Normalise {
  const known = normalisers.get(schema);
  if (known) return known;
  const made = compile(schema);
  normalisers.set(schema, made);
  return made;
}

const asItIs: Normalise = (value) => value;

function compile(schema: z.core.$ZodType): Normalise {
  if (schema instanceof z.ZodObject)
    return normaliseObject(fieldsOf(schema), { isStrict: schema.def.catchall instanceof z.ZodNever });
  if (schema instanceof z.ZodArray) return normaliseList(normaliserOf(schema.element), longestOf(schema));
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

/** The schema of a field's value, without its optionality. */
function withoutPresence(schema: z.core.$ZodType): z.core.$ZodType {
  const isOptional = schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault;
  return isOptional ? schema.unwrap() : schema;
}

/** The name of a field in the protobuf definition: `messageId` is `message_id`. */
function protoName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** How a field of a protobuf message is read from JSON. */
interface Field {
  /** In camelCase, the name that counts when a field is given by both. */
  readonly name: string;
  /** As in the protobuf definition: `message_id` for `messageId`. */
  readonly protoName: string;
  readonly normalise: Normalise;
  /** A string without presence: empty is the same as unset. */
  readonly emptyIsUnset: boolean;
  /** `google.protobuf.Value`, where null is a value. */
  readonly nullIsValue: boolean;
}

/**
 * Normalises an object, field by field. Returns the same object if nothing changes; else one with the known fields. A
 * strict object keeps the others, so that its schema refuses them.
 */
function normaliseObject(fields: readonly Field[], { isStrict }: { readonly isStrict: boolean }): Normalise {
  return (value) => {
    if (!isJsonObject(value)) return value;
    let copy: JsonObject | undefined;
    for (const field of fields) {
      const normal = normaliseField(field, value);
      const hasOther = isStrict && field.protoName !== field.name && field.protoName in value;
      if (!hasOther && isNormalised(value, field.name, normal)) continue;
      copy ??= isStrict ? withoutProtoNames(fields, value) : knownFields(fields, value);
      setField(copy, field.name, normal);
    }
    return copy ?? value;
  };
}

/** Whether a field needs no change. One that is present but undefined, as from a JavaScript caller, must be removed. */
function isNormalised(value: JsonObject, name: string, normal: unknown): boolean {
  return normal === undefined ? !(name in value) : normal === value[name];
}

function normaliseField(field: Field, value: JsonObject): unknown {
  const { name, protoName, nullIsValue, emptyIsUnset, normalise } = field;
  const given = value[name] ?? value[protoName];
  if (given === undefined || (given === null && !nullIsValue) || (given === '' && emptyIsUnset)) return undefined;
  return normalise(given);
}

function knownFields(fields: readonly Field[], value: JsonObject): JsonObject {
  const known: JsonObject = {};
  for (const { name } of fields) setField(known, name, value[name]);
  return known;
}

function withoutProtoNames(fields: readonly Field[], value: JsonObject): JsonObject {
  const copy = { ...value };
  for (const { name, protoName } of fields) if (protoName !== name) delete copy[protoName];
  return copy;
}

/** Sets a field unless it is undefined: the schemas accept absent fields, but no present and undefined ones. */
function setField(into: JsonObject, name: string, value: unknown): void {
  if (value === undefined) delete into[name];
  else into[name] = value;
}

/** The maximum length of a list that its schema allows. */
function longestOf({ def: { checks = [] } }: z.ZodArray): number {
  for (const check of checks) if (check instanceof z.core.$ZodCheckMaxLength) return check._zod.def.maximum;
  return Number.POSITIVE_INFINITY;
}

/**
 * Normalises a list, entry by entry. Of a list that is too long only so many entries are kept that its schema refuses
 * it: a schema checks all entries before it checks their number.
 */
function normaliseList(normalise: Normalise, longest: number): Normalise {
  return (given) => {
    if (!Array.isArray(given)) return given;
    const value = given.length > longest + 1 ? given.slice(0, longest + 1) : given;
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const entry = normalise(value[i]);
      if (entry === value[i]) continue;
      copy ??= [...value];
      copy[i] = entry;
    }
    return copy ?? value;
  };
}

/** Normalises a protobuf `map`, value by value: its keys are data, not names. */
function normaliseMap(normalise: Normalise): Normalise {
  return (value) => {
    if (!isJsonObject(value)) return value;
    let isNormal = true;
    const entries = Object.entries(value).map(([key, before]) => {
      const after = normalise(before);
      isNormal &&= after === before;
      return [key, after];
    });
    return isNormal ? value : Object.fromEntries(entries);
  };
}

/**
 * Returns the normalised value; `undefined` means that the field is not set. A value that cannot be read is returned
 * unchanged, and the schema refuses it.
 */
type Normalise = (value: unknown) => unknown;

/** ProtoJSON writes 64-bit integers as strings and takes strings for all; a query parameter (§11.5) is always one. */
const normaliseNumber: Normalise = (value) =>
  typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;

/** `true` and `false` as in a query parameter (§11.5). */
const normaliseBoolean: Normalise = (value) => (value === 'true' ? true : value === 'false' ? false : value);

/** RFC 3339, any offset, up to nanoseconds. */
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** In UTC, to the millisecond (§5.6.1). */
const normaliseTimestamp: Normalise = (value) => {
  if (typeof value !== 'string' || !rfc3339.test(value) || !isDayOfCalendar(value.slice(0, 10))) return value;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? value : new Date(ms).toISOString();
};

/** Date reads February 30 as March 2. */
function isDayOfCalendar(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/**
 * Also accepts base64url and unpadded base64, as ProtoJSON demands of a reader. Rewritten by Buffer, which is 50 times
 * faster than replacing characters, but skips wrong ones: these are searched for before.
 */
const normaliseBase64: Normalise = (value) => {
  if (typeof value !== 'string' || !needsRewriting(value)) return value;
  return /[^\w+/-]/.test(value.replace(/={1,2}$/, '')) ? value : Buffer.from(value, 'base64').toString('base64');
};

function needsRewriting(value: string): boolean {
  return value.length % 4 === 2 || value.length % 4 === 3 || /[-_]/.test(value);
}

/** Number and names with which an enum is not set. */
const unspecified: ReadonlySet<unknown> = new Set([0, 'ROLE_UNSPECIFIED', 'TASK_STATE_UNSPECIFIED']);

/** Normalises an enum by number: `names` are those of 1, 2, … in the protobuf definition. */
function normaliseEnum(names: readonly unknown[]): Normalise {
  return (value) => {
    if (unspecified.has(value)) return undefined;
    return typeof value === 'number' ? (names[value - 1] ?? value) : value;
  };
}

/** Cached normalisers, and the two that cannot be derived from the kind of their schema. */
const normalisers = new WeakMap<z.core.$ZodType, Normalise>([
  [timestampSchema, normaliseTimestamp],
  [base64Schema, normaliseBase64],
]);
