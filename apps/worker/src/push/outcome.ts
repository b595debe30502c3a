import { AddressRefused, ProxyError, retryAfterMs } from '@switchyard/outgoing';
import type { Unreadable } from '@switchyard/store';

/**
 * The outcome of one attempt at a delivery.
 * - `delivered`: answered with 2xx. `gone`: answered with 410, delete the webhook.
 * - `refused`: a permanent failure, by the answer or the address. `failed`: a retry may succeed.
 * - `busy`: not tried, as this process already makes enough calls to that host.
 */
export type Outcome =
  | { readonly kind: 'delivered' | 'gone' | 'busy' }
  | ({ readonly kind: 'refused' } & Problem)
  | ({ readonly kind: 'failed'; readonly retryAfterMs?: number; readonly isHostFault: boolean } & Problem);

/** What went wrong. `status` and `response`, the beginning of the body: if there was an answer. */
interface Problem {
  readonly reason: string;
  readonly status?: number;
  readonly response?: string;
}

export type Failure = Extract<Outcome, { reason: string }>;

/** Timed out, too early, too many: the 4xx statuses that allow a retry (RFC 9110, RFC 8470, RFC 6585). */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);

/** @param retryAfter value of the header. @param response the beginning of the body */
export function outcomeOfAnswer(status: number, retryAfter: string | undefined, response = ''): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  const answer = { reason: `the receiver answered ${status}${redirect}`, status, ...(response && { response }) };
  if (status < 500 && !RETRYABLE.has(status)) return { kind: 'refused', ...answer };
  const askedMs = retryAfterMs(retryAfter);
  return {
    kind: 'failed',
    ...answer,
    isHostFault: status >= 500,
    ...(askedMs !== undefined && { retryAfterMs: askedMs }),
  };
}

/** The outcome of an attempt without an answer. The reason names the error, and nothing that was sent. */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof AddressRefused) return { kind: 'refused', reason: error.message };
  if (error instanceof ProxyError && error.isFinal) return { kind: 'refused', reason: error.message };
  return { kind: 'failed', reason: reasonOf(error), isHostFault: true };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the receiver could not be reached';
  if (error instanceof ProxyError) return error.message;
  if (error.name === 'TimeoutError') return 'the receiver did not answer in time';
  if (error.name === 'HTTPParserError') return 'the answer of the receiver is not HTTP';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const meaning = meaningOf(code);
  return `the receiver could not be reached: ${meaning === undefined ? code : `${meaning} (${code})`}`;
}

const meanings: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no machine has the name in its URL',
  ECONNREFUSED: 'nothing listens at its port',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

/** Certificates that Node does not trust. */
const UNTRUSTED = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+)$/;

function meaningOf(code: string): string | undefined {
  return meanings[code] ?? (UNTRUSTED.test(code) ? 'its certificate is not trusted' : undefined);
}

/** The outcome for a webhook that cannot be decrypted because its secret is missing: it may be set again. */
export function outcomeOfUnreadable(error: Unreadable): Failure {
  return { kind: 'failed', reason: `the config cannot be read: ${error.message}`, isHostFault: false };
}
