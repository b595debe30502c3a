/**
 * What a schema becomes for the model, in its strict form of JSON Schema.
 * @param name of the setting, for the error
 * @throws {TypeError} it has no such form
 */
export function strictly<Form>(name: string, convert: () => Form): Form {
  try {
    return convert();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`${name} must be a schema of zod that the model can follow: ${why}`, { cause });
  }
}
