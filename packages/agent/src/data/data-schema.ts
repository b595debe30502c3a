import type { JsonSchema } from '@switchyard/protocol';

/** A schema of zod, valibot, arktype and others: what they have in common (https://standardschema.dev). */
export interface DataSchema<T> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<T> | Promise<SchemaResult<T>>;
    /** Of zod from 4.2 on, of arktype from 2.1.28 on, and of valibot by `toStandardJsonSchema`. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema };
  };
}

/**
 * A schema as JSON Schema; undefined: its library cannot give one.
 * @param owner named in the error: `its input`
 * @throws {TypeError} it has no form in JSON Schema
 */
export function writtenSchema(schema: DataSchema<unknown>, owner: string): JsonSchema | undefined {
  requireSchema(schema, owner);
  try {
    return schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new TypeError(`${owner} has no form in JSON Schema: ${why}`, { cause });
  }
}

/** @throws {TypeError} it is none, such as a JSON Schema */
function requireSchema(schema: DataSchema<unknown> | undefined, owner: string): void {
  if (typeof schema?.['~standard']?.validate === 'function') return;
  throw new TypeError(`${owner} is no schema of zod or another library of Standard Schema`);
}

type SchemaResult<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** @returns the value as parsed by the schema, or a description of what is wrong with it */
export async function check<T>(
  schema: DataSchema<T>,
  value: unknown,
): Promise<{ readonly value: T } | { readonly problem: string }> {
  requireSchema(schema, 'The given schema');
  const result = await schema['~standard'].validate(value);
  return result.issues ? { problem: result.issues.map(describe).join('; ') } : { value: result.value };
}

function describe({ message, path = [] }: SchemaIssue): string {
  const location = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return location === '' ? message : `${location}: ${message}`;
}
