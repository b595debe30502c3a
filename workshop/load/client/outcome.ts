/** Why something did not work, as the report counts it. */
export interface Failure {
  /** The same words for the same kind: `HTTP 503`, `JSON-RPC -32057`, `timeout`. */
  readonly kind: string;
  /** One such case in more words. */
  readonly example: string;
  /** The server's Retry-After. */
  readonly retryAfterMs?: number;
}

/** What came of a request. Failures are what a load test counts, so they are values. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** A request that was withdrawn before it was sent: not an error. */
export const notSent = 'not sent';

export function succeeded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(kind: string, example = kind): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { kind, example: shortened(example) } };
}

/** Reads on if it went well. */
export function andThen<T, U>(outcome: Outcome<T>, read: (value: T) => Outcome<U>): Outcome<U> {
  return outcome.ok ? read(outcome.value) : outcome;
}

/** Texts of servers are printed on a terminal: removes control characters. */
function shortened(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
