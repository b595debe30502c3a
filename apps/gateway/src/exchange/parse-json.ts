import { A2AError } from '@switchyard/protocol';

/**
 * Deepest nesting that is taken, as protobuf's own parsers have it. Whatever reads the message later may recurse over
 * it.
 */
const deepest = 100;

/** @throws {A2AError} ParseError, or InvalidRequest if it is nested too deeply */
export function parseJson(text: string): unknown {
  return requireShallow(parse(text), 'body');
}

/** @param field what a violation calls the value @throws {A2AError} InvalidRequest */
export function requireShallow<Value>(value: Value, field: string): Value {
  if (!isShallow(value, deepest))
    throw new A2AError('InvalidRequest', 'Invalid request', {
      violations: [{ field, description: `is nested more than ${deepest} levels deep` }],
    });
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new A2AError('ParseError', 'Invalid JSON payload', { cause });
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const member of Object.values(value)) if (!isShallow(member, levels - 1)) return false;
  return true;
}
