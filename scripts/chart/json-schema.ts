/** As far as the chart's values need it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A map that has these keys and no others. */
export function closed(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, ...more };
}

export function oneOf(...words: readonly string[]): JsonSchema {
  return { enum: words };
}

export function whole(least: number, most = 1_000_000): JsonSchema {
  return { type: 'integer', minimum: least, maximum: most };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** @param names a pattern; others are refused */
export function mapOf(values: JsonSchema, names?: string): JsonSchema {
  if (names === undefined) return { type: 'object', additionalProperties: values };
  return { type: 'object', additionalProperties: false, patternProperties: { [names]: values } };
}

export const text: JsonSchema = { type: 'string' };
export const onOff: JsonSchema = { type: 'boolean' };
/** Checked by Kubernetes. */
export const anyMap: JsonSchema = { type: 'object' };
export const anyMaps: JsonSchema = { type: 'array', items: anyMap };
