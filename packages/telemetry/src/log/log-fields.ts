import { safeText } from './error-fields.ts';

/**
 * The fields that log lines of gateways and workers may have, by their names in our code; as a rule it is the name in
 * the log. A new one is added here, when it can hold neither a secret nor what a client or an agent wrote.
 */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['kind', 'event'],
  ['taskId', 'task'],
  ['contextId', 'context'],
  ['workerId', 'worker'],
  ['requestId', 'request'],
  ...[
    // What a line is about.
    ...['event', 'agent', 'agents', 'tenant', 'subject', 'attempt', 'attempts', 'traceId'],
    ...['state', 'isNew', 'isSpent', 'waitedMs', 'takenOverFrom', 'durationMs', 'retryInMs', 'running'],
    ...['code', 'reason', 'count', 'err', 'error', 'path', 'url', 'port', 'logLevel', 'until'],
    // Requests, and the audit trail.
    ...['method', 'status', 'who', 'at', 'what', 'outcome', 'operation', 'credential', 'address', 'object'],
    ...['forTenant', 'forSubject', 'scopes', 'open', 'issuer'],
    // Gateways.
    ...['grpcPort', 'adminUrl', 'drainMs'],
    // Workers.
    ...['verdict', 'add', 'canceled', 'isServed', 'where', 'configId', 'origin', 'by', 'fields'],
  ].map((name): [string, string] => [name, name]),
]);

/**
 * The fields of a log line as they may be written: of those that are not allowed, `leftOut` has the names. Texts are
 * cut, and what is neither text nor number is left out, but for a list of texts, and an error in `err`.
 * @param traceId unless the line has one of its own
 */
export function logFields(given: Readonly<Record<string, unknown>>, traceId?: string): Record<string, unknown> {
  const fields: Record<string, unknown> = traceId === undefined ? {} : { traceId };
  const leftOut: string[] = [];
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined) continue;
    const written = ALLOWED.get(name);
    // What is in `fields` is safe already: see agentLine.
    const field = written === 'err' || written === 'fields' ? value : written && plain(value);
    if (written === undefined || field === undefined) leftOut.push(name);
    else fields[written] = field;
  }
  if (leftOut.length > 0) fields.leftOut = leftOut;
  return fields;
}

function plain(value: unknown): unknown {
  // Ids and words, as most are, have nothing that would be taken out.
  if (typeof value === 'string') return /[:,]/.test(value) || value.length > 100 ? safeText(value) : value;
  if (typeof value === 'number') return Number.isInteger(value) ? value : Math.round(value * 10) / 10;
  if (typeof value === 'boolean' || value === null) return value;
  return Array.isArray(value)
    ? value.filter((each) => typeof each === 'string').map((text) => safeText(text))
    : undefined;
}
