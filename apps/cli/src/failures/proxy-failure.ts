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
