import { safeText } from './error-fields.ts';

/**
 * The fields that log lines of gateways and workers may have. A new one is added here, when it can hold neither a
 * secret nor what a client or an agent wrote.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  // Both.
  ...['agent', 'agents', 'taskId', 'code', 'reason', 'count', 'durationMs', 'err', 'error', 'path', 'url', 'port'],
  // Requests, and the audit trail.
  ...['requestId', 'method', 'status', 'who', 'at', 'what', 'outcome', 'operation', 'tenant', 'subject', 'credential'],
  ...['address', 'object', 'forTenant', 'forSubject', 'scopes', 'open', 'issuer'],
  // Gateways.
  ...['grpcPort', 'adminUrl', 'drainMs'],
  // Workers.
  ...[
    'workerId',
    'running',
    'attempt',
    'attempts',
    'result',
    'state',
    'verdict',
    'add',
    'canceled',
    'isServed',
    'where',
  ],
  ...['configId', 'origin', 'retryInMs', 'by'],
]);

/**
 * The fields of a log line that may be written: of those that are not allowed, `leftOut` has the names. Texts are cut,
 * and what is neither text nor number is left out, but for a list of texts, and an error in `err`.
 */
export function logFields(given: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const field = ALLOWED.has(name) ? (name === 'err' ? value : plain(value)) : undefined;
    if (field === undefined) leftOut.push(name);
    else fields[name] = field;
  }
  if (leftOut.length > 0) fields.leftOut = leftOut;
  return fields;
}

function plain(value: unknown): unknown {
  // Ids and words, as most are, have nothing that would be taken out.
  if (typeof value === 'string') return /[:,]/.test(value) || value.length > 100 ? safeText(value) : value;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string').map(safeText) : undefined;
}
