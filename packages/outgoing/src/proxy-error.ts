import { proxyText } from './proxy-settings.ts';

/** The proxy refused a request, or cannot be reached. The message names the proxy, without its password. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** The proxy's own answer. Undefined: it gave none. */
  readonly status: number | undefined;
  /** By its rules: the same request is refused again. */
  readonly isFinal: boolean;

  constructor(
    message: string,
    { status, cause }: { readonly status?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.isFinal = status !== undefined && status >= 400 && status < 500 && ![407, 408, 429].includes(status);
  }

  /** For an answer of the proxy to CONNECT, or instead of the server's. */
  static ofStatus(status: number, proxy: URL): ProxyError {
    const why = reasons[status] ?? 'it does not connect';
    return new ProxyError(`the proxy ${proxyText(proxy)} answered ${status}: ${why}`, { status });
  }
}

const reasons: Readonly<Record<number, string>> = {
  403: 'it does not allow this address',
  407: 'it wants a user name and password, in HTTPS_PROXY or HTTP_PROXY',
  502: 'it cannot reach this address',
  503: 'it cannot reach this address',
  504: 'this address did not answer it in time',
};

/** What undici, and the one in Node, say of a refused CONNECT, and of 407 to a request without TLS. */
const refusalOfProxy = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;
/** Errors before there is a connection to the proxy. */
const unreached: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
]);

/** The same error, or the proxy's part in it. @param error what a client threw for a request through this proxy */
export function proxyErrorOf(error: unknown, proxy: URL): unknown {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof ProxyError) return each;
    const [, status] = refusalOfProxy.exec(each.message) ?? [];
    if (status !== undefined) return ProxyError.ofStatus(Number(status), proxy);
    const code = 'code' in each ? String(each.code) : '';
    if (unreached.has(code))
      return new ProxyError(`the proxy ${proxyText(proxy)} cannot be reached: ${code}`, { cause: error });
  }
  return error;
}

/**
 * Whether the proxy wrote this answer to a request without TLS: 407 is always the proxy's, and others have a field of
 * RFC 9209 or of Squid.
 */
export function isOfProxy(status: number, fields: Readonly<Record<string, unknown>>): boolean {
  const isMarked = fields['x-squid-error'] !== undefined || /;\s*error=/.test(String(fields['proxy-status'] ?? ''));
  return status === 407 || (status >= 400 && isMarked);
}
