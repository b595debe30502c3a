/** An object of JSON.parse. */
export type JsonObject = Record<string, unknown>;

/** `google.protobuf.Struct`: any JSON object. */
export type Metadata = JsonObject;

/**
 * An object with exactly one of `Members`. The others are `undefined` to the compiler, so that looking at one narrows.
 */
export type OneOf<Members> = {
  [Name in keyof Members]: { [Only in Name]: Members[Only] } & { [Other in Exclude<keyof Members, Name>]?: never };
}[keyof Members];
