import type { RequestListener } from 'node:http';
import type { PublicJwk } from '@switchyard/settings';
import express from 'express';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { serveJsonRpc } from '../bindings/jsonrpc/serve.ts';
import { restRoutes } from '../bindings/rest/serve.ts';
import { refuseFault, refusePath } from '../bindings/rest/unserved.ts';
import { legacyJsonRpc } from '../bindings/v0_3/serve-jsonrpc.ts';
import { isLegacyRest, serveLegacyRest } from '../bindings/v0_3/serve-rest.ts';
import { cardPath, jwksPath } from '../cards/endpoints.ts';
import { conversationRoutes } from '../conversations/serve-conversation-list.ts';
import { beginEachExchange, type Route } from '../exchange/exchange.ts';
import { createRouter } from './router.ts';
import { serveAgentList } from './serve-agent-list.ts';
import { serveCard } from './serve-card.ts';
import { deletionPath, serveDeletion } from './serve-deletion.ts';
import { type Readiness, serveHealth, serveReadiness } from './serve-health.ts';
import { serveJwks } from './serve-jwks.ts';

/** Bases of the agents' URLs: the default agent's, and every agent's own. */
const bases = ['', '/agents/:agentId'] as const;

/** The same, with the tenant of A2A 11.3 behind: only REST has it in the path. */
const tenantBases = ['/agents/:agentId/:tenant', '/:tenant'] as const;

/** Every path that the gateway serves. */
export function createApp(context: GatewayContext, readiness: Readiness): RequestListener {
  const frame = createFrame(context);
  const route = createRouter(context, routesOf(context, readiness), frame);
  if (!context.settings.legacyV03) return route;
  return (req, res) => (isLegacyRest(req) ? frame : route)(req, res);
}

/** The router prefers the more exact path: a tenant can have any name, and comes last. */
function routesOf(context: GatewayContext, readiness: Readiness): Route[] {
  const { settings } = context;
  return [
    ...bases.flatMap((base) => agentRoutes(context, base)),
    ...tenantBases.flatMap((base) => taskRoutes(context, base)),
    ...conversationRoutes(context),
    { verb: 'GET', path: '/agents', handle: serveAgentList(context) },
    { verb: 'GET', path: jwksPath, handle: serveJwks(publicKeys(context), settings.cardMaxAgeSeconds) },
    { verb: 'GET', path: '/healthz', handle: serveHealth },
    { verb: 'GET', path: '/readyz', handle: serveReadiness(readiness) },
  ];
}

function agentRoutes(context: GatewayContext, base: string): Route[] {
  const older = context.settings.legacyV03 ? legacyJsonRpc(context) : undefined;
  return [
    { verb: 'POST', path: base || '/', handle: serveJsonRpc(context, older) },
    ...taskRoutes(context, base),
    { verb: 'GET', path: base + cardPath, handle: serveCard(context) },
  ];
}

function taskRoutes(context: GatewayContext, base: string): Route[] {
  return [...restRoutes(context, base), { verb: 'DELETE', path: base + deletionPath, handle: serveDeletion(context) }];
}

/** Express carries what the SDK brings for version 0.3, and refuses what is not served. */
function createFrame(context: GatewayContext): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use(beginEachExchange(context.emit));
  if (context.settings.legacyV03) for (const base of bases) app.use(base, serveLegacyRest(context));
  app.use(refusePath(context));
  app.use(refuseFault(context));
  return app;
}

/** Of every key that signs something, whatever that is. */
function publicKeys({ settings }: GatewayContext): PublicJwk[] {
  return [...settings.cardSigningKeys.map(({ publicJwk }) => publicJwk), ...(settings.push?.publicKeys ?? [])];
}
