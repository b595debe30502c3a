import type { RequestListener } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import type { PublicJwk } from '@switchyard/settings';
import express from 'express';
import findMyWay from 'find-my-way';
import { manifestPath, registryPath } from '../agents/ard.ts';
import { cardPath, jwksPath, oldCardPath } from '../agents/endpoints.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { requireHost } from '../bindings/http-call.ts';
import { serveJsonRpc } from '../bindings/jsonrpc.ts';
import { refuseFault, refusePath, refuseVerb, restRoutes, writeError } from '../bindings/rest.ts';
import { legacyJsonRpc } from '../bindings/v0_3/serve-jsonrpc.ts';
import { isLegacyRest, serveLegacyRest } from '../bindings/v0_3/serve-rest.ts';
import {
  beginEachExchange,
  beginExchange,
  type Exchange,
  type Handler,
  type Route,
  type RoutedRequest,
} from '../exchange/exchange.ts';
import { serveMcp } from '../mcp/serve-mcp.ts';
import { serveManifest, serveSearch } from './serve-ard.ts';
import { conversationRoutes } from './serve-conversations.ts';
import { deletionPath, serveDeletion } from './serve-deletion.ts';
import { redirectToCard, redirectToConsole, serveAgentList, serveCard, serveJwks } from './serve-discovery.ts';
import { callbackPath, eventPath, serveCallback, serveEvent } from './serve-events.ts';
import { fileRoutes } from './serve-files.ts';
import { serveFrontPage } from './serve-front-page.ts';
import { type Readiness, serveHealth, serveReadiness } from './serve-health.ts';
import { scheduleRoutes } from './serve-schedules.ts';

/** Bases of the agents' URLs: the default agent's, and every agent's own. */
const bases = ['', '/agents/:agentId'] as const;
/** Below them, the prefix of the REST binding of version 0.3. A tenant may have this name, too. */
const legacyPath = /^(?:\/agents\/[^/?#]+)?\/v1\//;

/** Bases that end with the tenant of A2A 11.3: only REST has it in the path. */
const tenantBases = ['/agents/:agentId/:tenant', '/:tenant'] as const;

/** Every path that the gateway serves. */
export function createApp(context: GatewayContext, readiness: Readiness): RequestListener {
  const legacyAndNotFound = createLegacyAndNotFoundApp(context);
  const route = createRouter(context, routesOf(context, readiness), legacyAndNotFound);
  if (!context.settings.legacyV03) return route;
  return (req, res) => (legacyPath.test(req.url ?? '') && isLegacyRest(req) ? legacyAndNotFound : route)(req, res);
}

/** The router prefers the more specific path: a tenant can have any name, and comes last. */
function routesOf(context: GatewayContext, readiness: Readiness): Route[] {
  const { settings } = context;
  const open = (handle: Handler): Handler => forKnownHosts(context, handle);
  return [
    ...bases.flatMap((base) => agentRoutes(context, base)),
    ...tenantBases.flatMap((base) => taskRoutes(context, base)),
    ...conversationRoutes(context),
    { verb: 'GET', path: '/', handle: open(serveFrontPage(context)) },
    ...scheduleRoutes(context),
    ...fileRoutes(context),
    { verb: 'POST', path: callbackPath, handle: open(serveCallback(context)) },
    { verb: 'GET', path: '/agents', handle: serveAgentList(context) },
    ...(settings.ard === 'off' ? [] : ardRoutes(context)),
    { verb: 'GET', path: jwksPath, handle: open(serveJwks(publicKeys(context), settings.cardMaxAgeSeconds)) },
    { verb: 'GET', path: '/console', handle: open(redirectToConsole(context, context.consoleUrl)) },
    ...(settings.mcp ? [{ verb: 'POST', path: '/mcp', handle: serveMcp(context) } as const] : []),
    { verb: 'GET', path: '/healthz', handle: serveHealth },
    { verb: 'GET', path: '/readyz', handle: serveReadiness(readiness) },
  ];
}

/**
 * What needs no credential is still not for a page whose own name resolves to this gateway. Health checks are: they
 * come with any name, and say nothing about agents.
 */
function forKnownHosts(context: GatewayContext, handle: Handler): Handler {
  return (req, res) => {
    requireHost(context, { req, res });
    return handle(req, res);
  };
}

function ardRoutes(context: GatewayContext): Route[] {
  return [
    { verb: 'GET', path: manifestPath, handle: forKnownHosts(context, serveManifest(context)) },
    { verb: 'POST', path: `${registryPath}search`, handle: serveSearch(context) },
  ];
}

function agentRoutes(context: GatewayContext, base: string): Route[] {
  const older = context.settings.legacyV03 ? legacyJsonRpc(context) : undefined;
  return [
    { verb: 'POST', path: base || '/', handle: serveJsonRpc(context, older) },
    ...taskRoutes(context, base),
    { verb: 'GET', path: base + cardPath, handle: forKnownHosts(context, serveCard(context)) },
    { verb: 'GET', path: base + oldCardPath, handle: forKnownHosts(context, redirectToCard(context)) },
  ];
}

function taskRoutes(context: GatewayContext, base: string): Route[] {
  return [
    ...restRoutes(context, base),
    { verb: 'DELETE', path: base + deletionPath, handle: serveDeletion(context) },
    { verb: 'POST', path: base + eventPath, handle: serveEvent(context) },
  ];
}

/** Paths that the router does not know: Express runs the SDK's router for version 0.3, and refuses all others. */
function createLegacyAndNotFoundApp(context: GatewayContext): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use(beginEachExchange(context.emit));
  if (context.settings.legacyV03) for (const base of bases) app.use(base, serveLegacyRest(context));
  app.use(refusePath(context));
  app.use(refuseFault(context));
  return app;
}

/** The public keys of all signing keys, for cards and webhooks. */
function publicKeys({ settings }: GatewayContext): PublicJwk[] {
  return [...settings.cardSigningKeys.map(({ publicJwk }) => publicJwk), ...(settings.push?.publicKeys ?? [])];
}

/** Maximum length of a part of a path, in UTF-16 units: longer than ids, whose own limit has a clear error. */
const longestPart = 16_384;

/** For other URLs, such as `a:///agents/echo`, Express finds no path and throws. */
const hasPath = /^(?:\/|https?:\/\/[^/?#])/i;

/** Routes requests. A wrong method is answered with 405. */
function createRouter(context: GatewayContext, routes: readonly Route[], otherwise: RequestListener): RequestListener {
  const refuseUrl: RequestListener = (req, res) =>
    serveRoute(context, unreadable(context), { req, res, params: {}, query: {} });
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: longestPart,
    onBadUrl: (_path, req, res) => refuseUrl(req, res),
  });
  for (const [path, found] of Map.groupBy(routes, (route) => route.path)) {
    const verbs = found.map(({ verb }) => verb);
    const handlers = new Map<string, Handler>(found.map(({ verb, handle }) => [verb, handle]));
    // HEAD of a stream would open the stream.
    const get = found.find(({ verb, isStream }) => verb === 'GET' && !isStream);
    if (get) handlers.set('HEAD', get.handle);
    const refuse = refuseVerb(context, verbs.join(', '));
    router.on(anyMethod, path, (req, res, params, _store, query) =>
      serveRoute(context, handlers.get(req.method ?? '') ?? refuse, { req, res, params, query }),
    );
  }
  return (req, res) => {
    const { url = '' } = req;
    const found = router.find(anyMethod, url);
    if (found) found.handler(req, res, found.params, found.store, found.searchParams);
    else if (hasPath.test(url)) otherwise(req, res);
    else refuseUrl(req, res);
  };
}

/** The router has a tree of paths for each method. One is enough: every path answers every method. */
const anyMethod = 'GET';

interface RouteMatch {
  readonly req: Parameters<RequestListener>[0];
  readonly res: Parameters<RequestListener>[1];
  readonly params: RoutedRequest['params'];
  readonly query: RoutedRequest['query'];
}

function serveRoute(context: GatewayContext, handle: Handler, { req, res, params, query }: RouteMatch): void {
  const [path = '', search] = splitUrl(req.url ?? '');
  const routed = Object.assign(req, { path, params, query });
  const exchange = { req: routed, res };
  beginExchange(context.emit, exchange);
  const answer = search === undefined || isUtf8(search) ? handle : unreadable(context);
  const fail = (thrown: unknown): void => answerError(context, exchange, thrown);
  try {
    answer(routed, res)?.catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}

/** Answers what a handler throws. If no error can be written any more, the connection is closed. */
function answerError(context: GatewayContext, exchange: Exchange, thrown: unknown): void {
  try {
    writeError(context, exchange, thrown);
  } catch {
    // The answer cannot be written any more.
    exchange.res.destroy();
  }
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
    // Not valid UTF-8.
    return false;
  }
}

const unreadable =
  (context: GatewayContext): Handler =>
  (req, res) =>
    writeError(context, { req, res }, new A2AError('InvalidRequest', 'The URL is not valid UTF-8'));
