import type { RequestListener } from 'node:http';
import type { PublicJwk } from '@switchyard/settings';
import express from 'express';
import type { Entrance } from '../bindings/gateway-context.ts';
import { serveJsonRpc } from '../bindings/jsonrpc/serve.ts';
import { routeRest } from '../bindings/rest/serve.ts';
import { refuseFault, refusePath, refuseVerb } from '../bindings/rest/unserved.ts';
import { serveLegacyRest } from '../bindings/v0_3/serve-rest.ts';
import { cardPath, jwksPath } from '../cards/endpoints.ts';
import { routeConversations } from '../conversations/serve-conversation-list.ts';
import { beginEachExchange } from '../exchange/exchange.ts';
import { directRoutes } from './direct-routes.ts';
import { serveAgentList } from './serve-agent-list.ts';
import { serveCard } from './serve-card.ts';
import { type Readiness, serveHealth, serveReadiness } from './serve-health.ts';
import { serveJwks } from './serve-jwks.ts';

/** Bases of the agents' URLs: the default agent's, and every agent's own. */
const bases = ['', '/agents/:agentId'] as const;

/** The same, with the tenant of A2A 11.3 behind: only REST has it in the path. */
const tenantBases = ['/agents/:agentId/:tenant', '/:tenant'] as const;

/** Every path that the gateway serves. Bodies, ETags and errors are ours, so Express is left with finding the route. */
export function createApp(entrance: Entrance, readiness: Readiness): RequestListener {
  const { settings } = entrance;
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use(beginEachExchange(entrance.observe));
  for (const base of bases) {
    app.post(base || '/', serveJsonRpc(entrance)).all(base || '/', refuseVerb(entrance, 'POST'));
    if (settings.legacyV03) app.use(base, serveLegacyRest(entrance));
    routeRest(app, base, entrance);
    app.get(base + cardPath, serveCard(entrance)).all(base + cardPath, refuseVerb(entrance, 'GET'));
  }
  app.get('/agents', serveAgentList(entrance)).all('/agents', refuseVerb(entrance, 'GET'));
  app
    .get(jwksPath, serveJwks(publicKeys(entrance), settings.cardMaxAgeSeconds))
    .all(jwksPath, refuseVerb(entrance, 'GET'));
  app.get('/healthz', serveHealth).all('/healthz', refuseVerb(entrance, 'GET'));
  app.get('/readyz', serveReadiness(readiness)).all('/readyz', refuseVerb(entrance, 'GET'));
  routeConversations(app, entrance);
  // Behind everything else: a tenant can have any name.
  for (const base of tenantBases) routeRest(app, base, entrance);
  app.use(refusePath(entrance));
  app.use(refuseFault(entrance));
  return directRoutes(entrance, app);
}

/** Of every key that signs something, whatever that is. */
function publicKeys({ settings }: Entrance): PublicJwk[] {
  return [...settings.cardSigningKeys.map(({ publicJwk }) => publicJwk), ...(settings.push?.publicKeys ?? [])];
}
