import type { RequestListener } from 'node:http';
import type { Origins } from '../admission/origins.ts';
import { leaveUnread } from '../exchange/exchange.ts';

const asked = [
  'Authorization',
  'X-API-Key',
  'Content-Type',
  'A2A-Version',
  'A2A-Extensions',
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
].join(', ');
const shown =
  'A2A-Version, A2A-Extensions, ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id';
/** Browsers ask again after at most two hours. */
const KEPT_SECONDS = 7_200;

/** Tells browsers that pages of named origins may ask, and read the answers. Cookies count nowhere, and go along never. */
export function withCors(origins: Origins, serve: RequestListener): RequestListener {
  if (!origins.hasPages) return serve;
  return (req, res) => {
    res.setHeader('Vary', 'Origin');
    const { origin } = req.headers;
    if (origin === undefined || !origins.isNamed(origin)) return serve(req, res);
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', shown);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return serve(req, res);
    leaveUnread(req, res);
    res.writeHead(204, {
      'Access-Control-Allow-Methods': 'GET, POST, DELETE',
      'Access-Control-Allow-Headers': asked,
      'Access-Control-Max-Age': KEPT_SECONDS,
    });
    res.end();
  };
}
