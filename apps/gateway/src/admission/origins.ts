import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import { hostName, isAddressOrLocalhost } from '@switchyard/settings';
import { leaveUnread } from '../exchange/exchange.ts';

/** The settings for allowed hosts and origins. */
export interface OriginSettings {
  readonly host: string;
  readonly publicUrl?: string | undefined;
  /** Unset: any host with authentication; without it, only hosts that no foreign DNS server can resolve. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** `*`: any origin, with authentication. */
  readonly allowedOrigins: readonly string[];
}

/** Origin and target of a request. */
export interface RequestOrigin {
  readonly headers: IncomingHttpHeaders;
  /** Host as the client sent it, or as a trusted proxy forwards it. */
  readonly host: string | undefined;
  /** A request that changes nothing. */
  readonly isSafe: boolean;
}

/**
 * Refuses requests of foreign web pages: a browser sends requests for any page, also to this machine, and any DNS name
 * may resolve to this machine.
 */
export class Origins {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #takesAnyOrigin: boolean;
  /** Cache: most requests have the same host. */
  #lastServed: string | undefined;

  constructor({ host, publicUrl, allowedHosts, allowedOrigins }: OriginSettings, isAnonymous: boolean) {
    const own = [host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])];
    const isAnyHost = allowedHosts === undefined && !isAnonymous;
    this.#hosts = isAnyHost ? undefined : new Set([...own, ...(allowedHosts ?? [])].map((each) => each.toLowerCase()));
    this.#origins = new Set(allowedOrigins.map((each) => each.toLowerCase()));
    this.#takesAnyOrigin = this.#origins.has('*') && !isAnonymous;
  }

  /** Whether any foreign origin is allowed. */
  get allowsForeignOrigins(): boolean {
    return this.#origins.size > 0;
  }

  /** Whether pages of an origin may send requests and read answers. */
  allows(origin: string): boolean {
    return origin !== 'null' && (this.#takesAnyOrigin || this.#origins.has(origin.toLowerCase()));
  }

  /** @throws {A2AError} PermissionDenied */
  requireHost(host: string | undefined): void {
    if (!this.#serves(host))
      throw new A2AError('PermissionDenied', 'This host name is not allowed: ALLOWED_HOSTS lists the allowed ones');
  }

  /** @throws {A2AError} PermissionDenied */
  require({ headers, host, isSafe }: RequestOrigin): void {
    this.requireHost(host);
    const { origin, 'sec-fetch-site': site } = headers;
    const isForeign = origin === undefined ? site === 'cross-site' && !isSafe : !this.#isOfPage(origin, host);
    if (isForeign)
      throw new A2AError('PermissionDenied', 'This origin is not allowed: ALLOWED_ORIGINS lists the allowed ones');
  }

  /** Browsers always send a Host. IP addresses and `localhost` need no DNS. */
  #serves(host: string | undefined): boolean {
    if (host === undefined || this.#hosts === undefined || host === this.#lastServed) return true;
    const isNamed = this.#hosts.has(hostName(host)) || this.#hosts.has(host.toLowerCase());
    if (!isNamed && !isAddressOrLocalhost(host)) return false;
    this.#lastServed = host;
    return true;
  }

  #isOfPage(origin: string, host: string | undefined): boolean {
    return (
      this.allows(origin) ||
      ['http', 'https'].some((scheme) => origin.toLowerCase() === `${scheme}://${host?.toLowerCase()}`)
    );
  }
}

const askedHeaders = [
  'Authorization',
  'X-API-Key',
  'Content-Type',
  'A2A-Version',
  'A2A-Extensions',
  'X-A2A-Extensions',
  'Idempotency-Key',
  'Last-Event-ID',
  'If-None-Match',
  'Prefer',
  'X-Request-Id',
  'Traceparent',
  'Tracestate',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
].join(', ');
const shownHeaders = [
  'A2A-Version',
  'A2A-Extensions',
  'A2A-Ignored-Fields',
  'X-A2A-Extensions',
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');
/** Maximum age of a preflight answer: two hours. */
const KEPT_SECONDS = 7_200;

/** Adds CORS headers for allowed origins. Cookies are never used or allowed. */
export function withCors(origins: Origins, serve: RequestListener): RequestListener {
  if (!origins.allowsForeignOrigins) return serve;
  return (req, res) => {
    res.setHeader('Vary', 'Origin');
    const { origin } = req.headers;
    if (origin === undefined || !origins.allows(origin)) return serve(req, res);
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', shownHeaders);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return serve(req, res);
    leaveUnread(req, res);
    res.writeHead(204, {
      'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers': askedHeaders,
      'Access-Control-Max-Age': KEPT_SECONDS,
    });
    res.end();
  };
}
