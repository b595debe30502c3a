import { AgentError, RetryableError } from '@switchyard/agent';
import { RefusedError } from '@switchyard/agent/runtime';
import { AddressRefused, ProxyError, ResponseRefused } from '@switchyard/outgoing';

/** What a turn asks another server for. */
interface AskedFile {
  /** For the client: `The file "menu.pdf"`. */
  readonly name: string;
  /** Of the turn. A host that does not exist is looked up in two attempts. */
  readonly attempt: number;
}

/** What may be there later. */
const passingStatuses: readonly number[] = [408, 425, 429, 500, 502, 503, 504];

/** The name of a file, or its URL without what may be secret in it. */
export function nameOfFile({
  url,
  filename,
}: {
  readonly url: string;
  readonly filename?: string | undefined;
}): string {
  if (filename !== undefined) return `The file "${filename.slice(0, 200)}"`;
  const { origin, pathname } = URL.parse(url) ?? { origin: '', pathname: url };
  return `The file ${(origin === 'null' ? url : origin + pathname).slice(0, 200)}`;
}

export function unreadableAnswer({ name }: AskedFile, status: number, retryAfterMs: number | undefined): Error {
  const message = `${name} cannot be read: its server answers ${status}.`;
  return passingStatuses.includes(status)
    ? new RetryableError(message, { retryAfterMs })
    : new RefusedError('file-refused', message, { status });
}

/** Why another server's file cannot be read. */
export function unreadableFile({ name, attempt }: AskedFile, cause: unknown): Error {
  if (cause instanceof AgentError || cause instanceof RetryableError) return cause;
  const text = `${name} cannot be read: ${reasonOf(cause)}.`;
  const isFinal =
    cause instanceof AddressRefused ||
    cause instanceof ResponseRefused ||
    (cause instanceof ProxyError && cause.isFinal) ||
    (codeOf(cause) === 'ENOTFOUND' && attempt > 1);
  return isFinal ? new RefusedError('file-refused', text, { cause }) : new RetryableError(text, { cause });
}

function reasonOf(cause: unknown): string {
  // To what a name resolves would tell a client which addresses exist inside.
  if (cause instanceof AddressRefused) return cause.isOfUrl ? cause.message : 'its URL is not at an allowed address';
  if (cause instanceof ResponseRefused) return cause.message;
  if (cause instanceof ProxyError) return 'the proxy of this deployment does not reach its server';
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'its server does not answer in time';
  const code = codeOf(cause);
  if (/^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|EPROTO$)/.test(code))
    return `the certificate or TLS of its server is wrong (${code})`;
  return reasons[code] ?? 'its server does not answer';
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host in its URL does not exist',
  EAI_AGAIN: 'the host in its URL cannot be looked up now',
  ECONNREFUSED: 'its server refuses the connection',
  EHOSTUNREACH: 'there is no way to its server',
  ENETUNREACH: 'there is no way to its server',
  ETIMEDOUT: 'its server does not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'its server does not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'its server does not answer in time',
  UND_ERR_BODY_TIMEOUT: 'its server does not go on sending it',
  ECONNRESET: 'its server broke the connection off',
  UND_ERR_SOCKET: 'its server broke the connection off',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
