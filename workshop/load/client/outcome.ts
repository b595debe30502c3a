/** Why something did not work, as the report counts it. */
export interface Failure {
  /** The same words for the same kind: `HTTP 503`, `JSON-RPC -32057`, `timeout`. */
  readonly kind: string;
  /** One such case in more words. */
  readonly example: string;
  /** The server asked to be left alone for so long. */
  readonly retryAfterMs?: number;
}

/** What came of a request. Failures are what a load test counts, so they are values. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** A request that was taken back before it was sent: nobody's error. */
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

/** What a server says is shown on a terminal: control characters have no business there. */
function shortened(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
