import type { FieldViolation } from '@switchyard/protocol';
import { fieldPath } from '@switchyard/protocol/schemas';

/** Only as an escape can JSON in UTF-8 have half of a surrogate pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * The first text in a value that has half of a surrogate pair: no UTF-8 can hold it, nor can gRPC, and strict readers of
 * JSON (RFC 8259 8.2, RFC 7493 2.1) refuse every answer that repeats it.
 * @param json the text from which the value was parsed: most have no escape of a surrogate, and then nothing is searched
 */
export function illFormedText(value: unknown, json: string): FieldViolation[] {
  const path = surrogateEscape.test(json) ? illFormedPath(value) : undefined;
  if (!path) return [];
  return [
    { field: fieldPath('', path) || 'body', description: 'must be valid Unicode: it has half of a surrogate pair' },
  ];
}

/** From the inside out. Undefined: every text is well-formed. */
function illFormedPath(value: unknown): PropertyKey[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const path = isList || key.isWellFormed() ? illFormedPath(member) : [];
    if (path) return [isList ? Number(key) : key, ...path];
  }
  return undefined;
}
