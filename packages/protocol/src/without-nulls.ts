import type { JsonObject } from './objects/json.ts';

/** Free JSON, in which null is a value. */
const free: ReadonlySet<string> = new Set(['metadata', 'data', 'params', 'header']);

/** Without fields that are null: ProtoJSON means unset. Returns the same value if it has none. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = value.map(withoutNulls);
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (!isJsonObject(value)) return value;
  let copy: JsonObject | undefined;
  for (const [key, before] of Object.entries(value)) {
    const after = free.has(key) ? before : withoutNulls(before);
    if (before !== null && after === before) continue;
    copy ??= { ...value };
    if (before === null) delete copy[key];
    else copy[key] = after;
  }
  return copy ?? value;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
