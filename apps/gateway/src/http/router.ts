import { METHODS, type RequestListener } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { refuseVerb } from '../bindings/rest/unserved.ts';
import { writeError } from '../bindings/rest/write.ts';
import { beginExchange, type Handler, type Route, type RoutedRequest } from '../exchange/exchange.ts';

/** Longest part of a path, in UTF-16 units: ids have a limit of their own, and are refused with a reason. */
const longestPart = 16_384;

/** Finds the route of each request. A path that is served by other verbs is answered with 405. */
export function createRouter(
  context: GatewayContext,
  routes: readonly Route[],
  otherwise: RequestListener,
): RequestListener {
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: longestPart,
    defaultRoute: otherwise,
    onBadUrl: (_path, req, res) => serve(context, unreadable(context), { req, res, params: {}, query: {} }),
  });
  for (const [path, found] of Map.groupBy(routes, (route) => route.path)) {
    const verbs = found.map(({ verb }) => verb);
    const handlers = new Map<string, Handler>(found.map(({ verb, handle }) => [verb, handle]));
    // Of a stream there is no head to be had without the stream.
    const get = found.find(({ verb, isStream }) => verb === 'GET' && !isStream);
    if (get) handlers.set('HEAD', get.handle);
    const refuse = refuseVerb(context, verbs.join(', '));
    for (const method of methods) {
      const handle = handlers.get(method) ?? refuse;
      router.on(method, path, (req, res, params, _store, query) => serve(context, handle, { req, res, params, query }));
    }
  }
  return (req, res) => router.lookup(req, res);
}

/** Of those that Node reads, CONNECT never gets here. */
const methods = METHODS.filter((method): method is HTTPMethod => method !== 'CONNECT');

interface Found {
  readonly req: Parameters<RequestListener>[0];
  readonly res: Parameters<RequestListener>[1];
  readonly params: RoutedRequest['params'];
  readonly query: RoutedRequest['query'];
}

function serve(context: GatewayContext, handle: Handler, { req, res, params, query }: Found): void {
  const [path = '', search] = splitUrl(req.url ?? '');
  const routed = Object.assign(req, { path, params, query });
  beginExchange(context.emit, { req: routed, res });
  const answer = search === undefined || isUtf8(search) ? handle : unreadable(context);
  // It answers its failures itself; if even that fails, the caller is not left waiting.
  Promise.resolve(answer(routed, res)).catch(() => res.destroy());
}

function splitUrl(url: string): [path: string, search?: string] {
  const end = url.indexOf('?');
  return end < 0 ? [url] : [url.slice(0, end), url.slice(end + 1)];
}

function isUtf8(search: string): boolean {
  if (!search.includes('%')) return true;
  try {
    decodeURIComponent(search);
    return true;
  } catch {
    // Cut within a character, or no character at all.
    return false;
  }
}

const unreadable =
  (context: GatewayContext): Handler =>
  (req, res) =>
    writeError(context, { req, res }, new A2AError('InvalidRequest', 'The URL is not valid UTF-8'));
