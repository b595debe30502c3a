/** An object that came out of JSON.parse. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deepest nesting that is taken: protobuf's own limit. JSON.stringify overflows the stack at some thousands. */
const maxJsonDepth = 100;

/** Why a value that came out of JSON.parse could not be written again as it is; undefined when it can. */
export function jsonValueProblem(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'must not hold numbers too large for a double';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxJsonDepth) return `must not be nested deeper than ${maxJsonDepth} levels`;
  for (const entry of Object.values(value)) {
    const problem = jsonValueProblem(entry, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}
