import type { Ops } from '@switchyard/store';
import express, { type Express, type RequestHandler } from 'express';
import type { Authenticator } from '../auth/authenticator.ts';
import { refuseFault, refusePath, refuseVerb } from '../bindings/rest/unserved.ts';
import { writeError } from '../bindings/rest/write.ts';
import { beginEachExchange, requestName } from '../exchange/exchange.ts';
import { respond } from '../exchange/respond.ts';
import type { Observe } from '../telemetry/events.ts';
import { deadRoutes } from './dead.ts';
import { agentRoutes, turnRoutes, workerRoutes } from './deployment.ts';
import type { AdminRoute } from './route.ts';
import { taskRoutes } from './tasks.ts';

export interface AdminEntrance {
  readonly ops: Ops;
  /** Asks the store, for no longer than is reasonable. @throws {A2AError} Unavailable */
  readonly inTime: <T>(question: () => Promise<T>) => Promise<T>;
  readonly authenticator: Authenticator;
  readonly observe: Observe;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
}

const routes: readonly AdminRoute[] = [...agentRoutes, ...workerRoutes, ...turnRoutes, ...deadRoutes, ...taskRoutes];

/** What operators ask. Nothing is answered without the key, not even which paths there are. */
export function createAdminApp(entrance: AdminEntrance): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', 'simple');
  app.use(beginEachExchange(entrance.observe), requireKey(entrance));
  app.get('/metrics', serveMetrics(entrance)).all('/metrics', refuseVerb(entrance, 'GET'));
  for (const route of routes) app[route.verb](route.path, serve(entrance, route));
  for (const path of new Set(routes.map((route) => route.path))) app.all(path, refuseVerb(entrance, verbsAt(path)));
  app.use(refusePath(entrance));
  app.use(refuseFault(entrance));
  return app;
}

function requireKey(entrance: AdminEntrance): RequestHandler {
  return async (req, res, next) => {
    try {
      await entrance.authenticator.authenticate(req.headers);
    } catch (thrown) {
      return writeError(entrance, { req, res }, thrown);
    }
    next();
  };
}

function serve(entrance: AdminEntrance, { verb, run }: AdminRoute): RequestHandler {
  return async (req, res) => {
    try {
      const answer = await entrance.inTime(() => run(entrance.ops, req));
      if (verb !== 'get') entrance.observe({ kind: 'operated', ...requestName({ req, res }) });
      res.setHeader('Cache-Control', 'no-store');
      if (answer === undefined) res.writeHead(204).end();
      else respond(res, 'application/json', JSON.stringify(answer));
    } catch (thrown) {
      writeError(entrance, { req, res }, thrown);
    }
  };
}

function serveMetrics(entrance: AdminEntrance): RequestHandler {
  return async (req, res) => {
    try {
      respond(res, 'text/plain; version=0.0.4; charset=utf-8', await entrance.metrics());
    } catch (thrown) {
      writeError(entrance, { req, res }, thrown);
    }
  };
}

function verbsAt(path: string): string {
  const verbs = routes.filter((route) => route.path === path).map(({ verb }) => verb.toUpperCase());
  return verbs.join(', ');
}
