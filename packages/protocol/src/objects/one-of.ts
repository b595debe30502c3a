import { z } from 'zod';

type Shape = Record<string, z.ZodType>;
type Outputs<Fields extends Shape> = { [Name in keyof Fields]: z.output<Fields[Name]> };

/**
 * An object with exactly one of `Members`. The others are `undefined` to the compiler, so that looking at one narrows.
 */
export type OneOf<Members> = {
  [Name in keyof Members]: { [Only in Name]: Members[Only] } & { [Other in Exclude<keyof Members, Name>]?: never };
}[keyof Members];

const members = new WeakMap<z.ZodType, ReadonlySet<string>>();

/**
 * The names of a schema's `oneof` members, none for a schema without. A member that is set to an empty string is set.
 */
export function membersOf(schema: z.ZodType): ReadonlySet<string> {
  return members.get(schema) ?? new Set();
}

/** A protobuf message with a `oneof`: exactly one of `choice` must be set, `rest` is as it says. */
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
