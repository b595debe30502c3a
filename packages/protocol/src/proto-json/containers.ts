import { isJsonObject, type JsonObject } from '../objects/json-value.ts';
import type { Normalise } from './scalars.ts';

/** A field of a protobuf message, as its JSON is to be read. */
export interface Field {
  /** In camelCase, the name that counts when a field is given by both. */
  readonly name: string;
  /** As the protobuf definition has it: `message_id` for `messageId`. */
  readonly protoName: string;
  readonly normalise: Normalise;
  /** A string without presence: empty is the same as unset. */
  readonly emptyIsUnset: boolean;
  /** `google.protobuf.Value`, where null is a value. */
  readonly nullIsValue: boolean;
}

/**
 * An object, field by field. The same object when nothing is to be changed; else one with the fields that are known.
 */
export function normaliseObject(fields: readonly Field[]): Normalise {
  return (value) => {
    if (!isJsonObject(value)) return value;
    let copy: JsonObject | undefined;
    for (const field of fields) {
      const normal = normaliseField(field, value);
      if (isAsItShouldBe(value, field.name, normal)) continue;
      copy ??= knownFields(fields, value);
      setField(copy, field.name, normal);
    }
    return copy ?? value;
  };
}

/** A field that is there and undefined, as JavaScript callers write it, is not: it has to go. */
function isAsItShouldBe(value: JsonObject, name: string, normal: unknown): boolean {
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

/** Undefined is unset: the schemas know a field that is absent, not one that is there and undefined. */
function setField(into: JsonObject, name: string, value: unknown): void {
  if (value === undefined) delete into[name];
  else into[name] = value;
}

/** A list, entry by entry. */
export function normaliseList(normalise: Normalise): Normalise {
  return (value) => {
    if (!Array.isArray(value)) return value;
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

/** A protobuf `map`, value by value: its keys are data, not names. */
export function normaliseMap(normalise: Normalise): Normalise {
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
