import { failed, type Outcome } from './outcome.ts';

/** What the codes of Node and undici mean to whoever reads the report. */
const kinds: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed by the server',
  EPIPE: 'connection closed by the server',
  UND_ERR_SOCKET: 'connection closed by the server',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  EMFILE: 'no more connections here (ulimit -n)',
  EADDRNOTAVAIL: 'no more local ports here',
};

/** A request that got no answer at all. */
export function networkFailure(error: unknown): Outcome<never> {
  if (!(error instanceof Error)) return failed('network error', String(error));
  const code = 'code' in error ? String(error.code) : error.name;
  return failed(kinds[code] ?? `network error ${code}`, error.message || code);
}
