import { safeText } from './error-fields.ts';

/**
 * The fields that log lines of gateways and workers may have: by their name in the code, the name in the log. Add a
 * field only if it can contain neither a secret nor text of a client or an agent.
 */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['kind', 'event'],
  ['taskId', 'task'],
  ['contextId', 'context'],
  ['workerId', 'worker'],
  ['requestId', 'request'],
  ...[
    // Both programs.
    ...['event', 'agent', 'agents', 'tenant', 'subject', 'attempt', 'attempts', 'traceId'],
    ...['state', 'isNew', 'isSpent', 'waitedMs', 'takenOverFrom', 'durationMs', 'retryInMs', 'running'],
    ...['code', 'reason', 'count', 'err', 'error', 'path', 'url', 'port', 'logLevel', 'until'],
    // Requests, and the audit trail.
    ...['method', 'status', 'who', 'at', 'what', 'outcome', 'operation', 'credential', 'address', 'object'],
    ...['forTenant', 'forSubject', 'scopes', 'open', 'issuer'],
    // Gateways.
    ...['grpcPort', 'adminUrl', 'drainMs', 'deployment'],
    // Workers.
    ...['verdict', 'add', 'canceled', 'isServed', 'where', 'tasks', 'configId', 'origin', 'by', 'fields'],
    ...['lateMs', 'why', 'willRetry'],
  ].map((name): [string, string] => [name, name]),
]);

/** Who did something. A subject may be a URL, whose path tells two of them apart: spiffe://acme/alice. */
const NAMES: ReadonlySet<string> = new Set(['tenant', 'subject', 'forTenant', 'forSubject']);
const MAX_NAME_LENGTH = 500;

/**
 * The fields of a log line that may be written; `leftOut` has the names of the others. Long strings are cut. Values
 * other than strings, numbers, booleans, null and lists of strings are left out, except for the error in `err`.
 * @param traceId used unless the fields have one
 */
export function logFields(given: Readonly<Record<string, unknown>>, traceId?: string): Record<string, unknown> {
  const fields: Record<string, unknown> = traceId === undefined ? {} : { traceId };
  const leftOut: string[] = [];
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined) continue;
    const written = ALLOWED.get(name);
    // The values in `fields` are safe already: see agentLine.
    const field = written === 'err' || written === 'fields' ? value : written && loggedValue(written, value);
    if (written === undefined || field === undefined) leftOut.push(name);
    else fields[written] = field;
  }
  if (leftOut.length > 0) fields.leftOut = leftOut;
  return fields;
}

function loggedValue(field: string, value: unknown): unknown {
  return NAMES.has(field) && typeof value === 'string' ? value.slice(0, MAX_NAME_LENGTH) : safeValue(value);
}

function safeValue(value: unknown): unknown {
  // Most strings are ids and words, which have nothing to remove: skip the costly patterns.
  if (typeof value === 'string') return /[:,]/.test(value) || value.length > 100 ? safeText(value) : value;
  if (typeof value === 'number') return Number.isInteger(value) ? value : Math.round(value * 10) / 10;
  if (typeof value === 'boolean' || value === null) return value;
  return Array.isArray(value)
    ? value.filter((each) => typeof each === 'string').map((text) => safeText(text))
    : undefined;
}
