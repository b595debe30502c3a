/** An object as JSON.parse returns it. */
export type JsonObject = Record<string, unknown>;

/** `google.protobuf.Struct`: any JSON object. */
export type Metadata = JsonObject;

/**
 * An object with exactly one of `Members`. To the compiler the others are `undefined`, so that testing one narrows.
 */
export type OneOf<Members> = {
  [Name in keyof Members]: { [Only in Name]: Members[Only] } & { [Other in Exclude<keyof Members, Name>]?: never };
}[keyof Members];
