/**
 * What an answer means:
 * - `unreachable`: the request was not carried out. It is repeated.
 * - `broken`: the connection broke; the request may have been received. A message is looked for, then repeated twice.
 * - `unclear`: the agent has the request, and nobody knows what it did. A message is looked for, and never repeated.
 * - `lost`: the agent does not know the task.
 * - `unsupported`: the agent does not have the operation, or not in this state of the task.
 * - `refused`: any other refusal, or an answer that is not A2A. Final.
 * A request that only reads is repeated after each of the first three.
 */
export type Verdict = 'unreachable' | 'broken' | 'unclear' | 'lost' | 'unsupported' | 'refused';

export interface StatusVerdict {
  readonly verdict: Verdict;
  /** Whether the agent may have the request although the verdict says that it is repeated. */
  readonly mayHaveArrived: boolean;
  /** Follows "it". */
  readonly text: string;
}

type Row = readonly [from: number, to: number, verdict: Verdict, text: string, mayHaveArrived?: true];

/** The first row that holds the status counts. docs/existing-agents.md has this table. */
const statusRows: readonly Row[] = [
  [200, 299, 'refused', 'gives an answer that is not A2A', true],
  [300, 399, 'refused', 'redirects to another address'],
  [401, 401, 'refused', 'asks for other credentials'],
  [403, 403, 'refused', 'does not allow it'],
  [404, 404, 'refused', 'has nothing at this address'],
  [405, 405, 'unsupported', 'does not have this operation'],
  [407, 407, 'refused', 'is behind a proxy that asks for credentials'],
  [408, 408, 'unreachable', 'received no complete request'],
  [425, 425, 'unreachable', 'is not ready yet'],
  [429, 429, 'unreachable', 'is too busy'],
  [400, 499, 'refused', 'refuses the request'],
  [501, 501, 'unsupported', 'does not have this operation'],
  // A proxy could not reach the agent, as a rule because it restarts: messages wait for it, and are looked for first.
  [502, 502, 'unreachable', 'cannot be reached by its proxy', true],
  [503, 503, 'unreachable', 'is not available'],
  // Of Cloudflare: no connection to the agent.
  [521, 523, 'unreachable', 'cannot be reached by its proxy'],
  [525, 526, 'unreachable', 'has no certificate that its proxy accepts'],
  [500, 599, 'unclear', 'failed', true],
];

/** The verdict on an HTTP status without an error of A2A in its body. */
export function verdictOnStatus(status: number): StatusVerdict {
  const row = statusRows.find(([from, to]) => status >= from && status <= to);
  const [, , verdict, text, mayHaveArrived = false] = row ?? [0, 0, 'refused' as const, 'does not answer with HTTP'];
  return { verdict, text: `${text} (HTTP ${status})`, mayHaveArrived };
}

/** Codes of JSON-RPC errors (A2A 5.4, 9.5); all others are refusals. */
const codeVerdicts: ReadonlyMap<number, Verdict> = new Map([
  [-32001, 'lost'],
  [-32004, 'unsupported'],
  [-32601, 'unsupported'],
  [-32603, 'unclear'],
  // Switchyard's "unavailable": also the last event of a stream that its gateway ends because it shuts down.
  [-32057, 'unreachable'],
]);

export function verdictOnCode(code: number): Verdict {
  return codeVerdicts.get(code) ?? 'refused';
}

/** No connection was made, so nothing was sent. */
const notConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'EPROTO',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
]);
/** The request was sent, and nothing came back in time. */
const tooLate: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** The verdict on the `code` of an error; undefined: it is not an error of a connection. */
export function verdictOnFailure(code: string): Verdict | undefined {
  if (notConnected.has(code) || code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_')) return 'unreachable';
  if (tooLate.has(code)) return 'unclear';
  // The parser's errors: what came back is not HTTP.
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') return 'refused';
  const isOfSystem = /^E[A-Z]+$/.test(code) || code.startsWith('UND_ERR_') || code === 'ERR_STREAM_PREMATURE_CLOSE';
  return isOfSystem ? 'broken' : undefined;
}
