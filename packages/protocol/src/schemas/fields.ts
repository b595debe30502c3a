import { z } from 'zod';
import type { JsonObject, Metadata, OneOf } from '../objects/json.ts';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deepest nesting: protobuf's own limit. JSON.stringify overflows the stack at some thousands. */
const maxJsonDepth = 100;

/** Why a value of JSON.parse could not be written again unchanged; undefined if it can. */
function jsonValueProblem(value: unknown, depth = 0): string | undefined {
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

/** Longest id, in UTF-16 units. Ids become Redis keys and log fields. */
const idLength = 256;
/** Longest name, media type and the like, in UTF-16 units. The specification gives no limits. */
const shortTextLength = 8192;
/** Longest list, other than parts, history and artifacts. */
const listLength = 1000;

/** Letters, digits, punctuation and plain spaces of any script; no control characters, no lone surrogates. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** The id of a task, context, message, artifact or push configuration: opaque, not empty. */
export const idSchema = z
  .string()
  .min(1, { abort: true })
  .max(idLength, { abort: true })
  .regex(printable, { error: 'must consist of printable characters' });

/** A list of a bounded length. */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item).max(listLength);
}

/** A list of ids. */
export const idsSchema = listOf(idSchema);

/** Text of a bounded length, such as a name, a media type or a URL. */
export const shortTextSchema = z.string().max(shortTextLength);

/** As {@link shortTextSchema}, for a required field: not empty, since ProtoJSON cannot tell empty from unset. */
export const requiredShortTextSchema = shortTextSchema.min(1);

/** A list of short texts, such as media types or extension URIs. */
export const shortTextsSchema = listOf(shortTextSchema);

/** `google.protobuf.Struct`: any JSON object. Kept unchanged and never copied, so a key `__proto__` stays a key. */
export const metadataSchema = z
  .custom<Metadata>(isJsonObject, { error: 'must be an object', abort: true })
  .superRefine(refuseUnsafeJson);

/** `google.protobuf.Value`: any JSON value, also null. Kept unchanged. */
export const jsonValueSchema = z.unknown().superRefine(refuseUnsafeJson);

function refuseUnsafeJson(value: unknown, context: z.RefinementCtx): void {
  const problem = jsonValueProblem(value);
  if (problem) context.addIssue({ code: 'custom', message: problem });
}

/** ISO 8601 in UTC with milliseconds (§5.6.1), years 0001 to 9999 as in protobuf. */
export const timestampSchema = z
  .string()
  .refine(isTimestamp, { error: 'must be a timestamp such as 2026-01-31T10:00:00.000Z' });

/** Accepts only what Date itself would write: Date reads February 30 as March 2. */
function isTimestamp(value: string): boolean {
  const ms = Date.parse(value);
  return (
    value.length === '2026-01-31T10:00:00.000Z'.length && !Number.isNaN(ms) && new Date(ms).toISOString() === value
  );
}

/** `bytes` in ProtoJSON: base64 of the standard alphabet, padded. */
export const base64Schema = z.string().refine(isBase64, { error: 'must be base64' });

/** Searches for the first wrong character: `^[…]*$` would backtrack over every right one. */
function isBase64(value: string): boolean {
  const end = value.search(/[^A-Za-z0-9+/]/);
  return value.length % 4 === 0 && (end < 0 || value.length - end <= 2) && /^=*$/.test(end < 0 ? '' : value.slice(end));
}

/** An absolute http or https URL that the server calls. The server's policy decides whether it may. */
export const webhookUrlSchema = requiredShortTextSchema.refine(isWebUrl, {
  error: 'must be an absolute http or https URL',
  abort: true,
});

/** Links that people follow: an absolute http or https URL. Others, such as javascript:, could run code in a page. */
export const webLinkSchema = requiredShortTextSchema.refine(isWebUrl, {
  error: 'must be an absolute http or https URL',
});

function isWebUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}

/** `map<string, string>`, for example the scopes of an OAuth flow. */
export const stringMapSchema = z.record(z.string(), shortTextSchema);

type Shape = Record<string, z.ZodType>;
type Outputs<Fields extends Shape> = { [Name in keyof Fields]: z.output<Fields[Name]> };

const members = new WeakMap<z.ZodType, ReadonlySet<string>>();

/**
 * The names of a schema's `oneof` members; empty if it has none. A member with an empty string counts as set.
 */
export function membersOf(schema: z.ZodType): ReadonlySet<string> {
  return members.get(schema) ?? new Set();
}

/** A protobuf message with a `oneof`: exactly one of `choice` must be set, besides the fields of `rest`. */
export function oneOf<const Choice extends Shape>(choice: Choice): z.ZodType<OneOf<Outputs<Choice>>>;
export function oneOf<const Choice extends Shape, const Rest extends Shape>(
  choice: Choice,
  rest: Rest,
): z.ZodType<OneOf<Outputs<Choice>> & z.output<z.ZodObject<Rest>>>;
export function oneOf(choice: Shape, rest: Shape = {}): z.ZodType {
  const names = Object.keys(choice);
  const optional = Object.fromEntries(Object.entries(choice).map(([name, field]) => [name, field.exactOptional()]));
  const schema = z
    .object({ ...optional, ...rest })
    .refine((value) => hasExactlyOne(value, names), { error: `must have exactly one of ${names.join(', ')}` });
  members.set(schema, new Set(names));
  return schema;
}

function hasExactlyOne(value: object, names: readonly string[]): boolean {
  let count = 0;
  for (const name of names) if (name in value) count++;
  return count === 1;
}
