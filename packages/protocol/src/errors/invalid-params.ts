import { A2AError, type FieldViolation } from './a2a-error.ts';

/** A request whose fields are wrong. Most client libraries show the message alone: it names the first field. */
export function invalidParams(violations: readonly FieldViolation[], cause?: unknown): A2AError {
  return new A2AError('InvalidParams', summary(violations), { violations, ...(cause !== undefined && { cause }) });
}

function summary([first, ...others]: readonly FieldViolation[]): string {
  if (!first) return 'Invalid parameters';
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return `Invalid parameters: ${first.field} ${first.description}${more}`;
}
