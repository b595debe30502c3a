import { currentProxies, ProxyError, proxyErrorOf, proxyFor } from '@switchyard/outgoing/proxies';
import { CommandFailure } from './failure.ts';

/** Undefined: the proxy for this URL has no part in the error, or there is none. */
export function proxyFailure(error: unknown, url: URL): CommandFailure | undefined {
  const proxy = proxyFor(url, currentProxies());
  const cause = proxy && proxyErrorOf(error, proxy);
  if (!(cause instanceof ProxyError)) return undefined;
  return new CommandFailure('A2ACLI_ERR_UNREACHABLE', `No answer from ${url.origin}: ${cause.message}`, {
    a2aCode: cause.status,
    hint: 'See HTTPS_PROXY, HTTP_PROXY and NO_PROXY; switchyard doctor says which proxy is used.',
    cause: error,
  });
}

/** What the codes of Node mean for the person at the command. */
const words: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: its address begins with http:// perhaps',
  UND_ERR_SOCKET: 'it closed the connection: its address begins with https:// perhaps',
  ENOTFOUND: 'no machine has this name',
};

/** Certificates that Node does not trust. */
const untrusted = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+)$/;

/** Why `fetch` has got no answer, in one line. */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  // Node's text has the password.
  if (cause.message.includes('URL that includes credentials'))
    return 'an address may have no user name and no password: switchyard --help has the options for credentials';
  const code = 'code' in cause ? String(cause.code) : '';
  if (untrusted.test(code)) return `its TLS certificate is not trusted (${code}): see NODE_EXTRA_CA_CERTS`;
  return words[code] ?? (cause.message.split('\n')[0] || code || cause.name);
}
