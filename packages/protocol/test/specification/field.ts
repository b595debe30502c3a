import type { z } from 'zod';

/** The types of protobuf fields, in their JSON form. */
type ScalarType =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'Struct'
  | 'Value'
  | 'Timestamp'
  | 'Role'
  | 'TaskState'
  /** Strings in the specification, with further restrictions here. */
  | 'id'
  | 'webhook'
  | 'location'
  /**
   * int32 in the specification, with a smaller range here: `page size` is 1 to 100 (§3.1.4); `count` is not negative.
   */
  | 'page size'
  | 'count';

export type Presence =
  /** Must be present, and a list must not be empty (§5.7). */
  | 'required'
  /** Required, but ProtoJSON omits empty values: an absent field is read as empty. */
  | 'required, may be empty'
  /** May be absent; protobuf cannot tell an empty string, an empty list, zero and false from absent. */
  | 'optional'
  /** May be absent, and zero or false differ from absent (`optional` in the protobuf definition). */
  | 'explicit'
  /** Exactly one of the fields with this presence must be present. */
  | 'one of';

export interface Field {
  /** A scalar type, the name of an object, `T[]` or `map<string, T>`. */
  readonly type: ScalarType | (string & Record<never, never>);
  readonly presence: Presence;
}

export interface ObjectDefinition {
  /** The section of the A2A specification 1.0. */
  readonly section: string;
  readonly schema: z.ZodType;
  readonly fields: Readonly<Record<string, Field>>;
}

export const required = (type: string): Field => ({ type, presence: 'required' });
export const requiredOrEmpty = (type: string): Field => ({ type, presence: 'required, may be empty' });
export const optional = (type: string): Field => ({ type, presence: 'optional' });
export const explicit = (type: string): Field => ({ type, presence: 'explicit' });
export const oneOf = (type: string): Field => ({ type, presence: 'one of' });

/** The `T` of a list type. */
export const entryOf = (type: string): string | undefined => /^(.+)\[\]$/.exec(type)?.[1];
/** The `T` of a map type. */
export const mapEntryOf = (type: string): string | undefined => /^map<string, (.+)>$/.exec(type)?.[1];
