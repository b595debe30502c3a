import type { Ops } from '@switchyard/store';
import express, { type Express, type RequestHandler } from 'express';
import type { Authentication } from '../auth/authentication.ts';
import { refuseFault, refusePath, refuseVerb, writeError } from '../bindings/rest/write.ts';
import { beginEachExchange, requestName, respond } from '../exchange/exchange.ts';
import type { Emit } from '../telemetry/events.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { agentRoutes, turnRoutes, workerRoutes } from './deployment.ts';
import type { AdminRoute } from './route.ts';
import { taskRoutes } from './tasks.ts';

export interface AdminContext {
  readonly ops: Ops;
  readonly authenticator: Authentication;
  readonly emit: Emit;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
}

const routes: readonly AdminRoute[] = [
  ...agentRoutes,
  ...workerRoutes,
  ...turnRoutes,
  ...deadLetterRoutes,
  ...taskRoutes,
];

/** The API for operators. Without the key every path is answered with 401. */
export function createAdminApp(context: AdminContext): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', 'simple');
  app.use(beginEachExchange(context.emit), requireKey(context));
  app.get('/metrics', serveMetrics(context)).all('/metrics', refuseVerb(context, 'GET'));
  for (const route of routes) app[route.verb](route.path, serve(context, route));
  for (const path of new Set(routes.map((route) => route.path))) app.all(path, refuseVerb(context, verbsAt(path)));
  app.use(refusePath(context));
  app.use(refuseFault(context));
  return app;
}

function requireKey(context: AdminContext): RequestHandler {
  return async (req, res, next) => {
    try {
      await context.authenticator.authenticate(req.headers);
    } catch (thrown) {
      return writeError(context, { req, res }, thrown);
    }
    next();
  };
}

function serve(context: AdminContext, { verb, run }: AdminRoute): RequestHandler {
  return async (req, res) => {
    try {
      const answer = await run(context.ops, req);
      if (verb !== 'get') context.emit({ kind: 'admin-action', ...requestName({ req, res }) });
      res.setHeader('Cache-Control', 'no-store');
      if (answer === undefined) res.writeHead(204).end();
      else respond(res, 'application/json', JSON.stringify(answer));
    } catch (thrown) {
      writeError(context, { req, res }, thrown);
    }
  };
}

function serveMetrics(context: AdminContext): RequestHandler {
  return async (req, res) => {
    try {
      respond(res, 'text/plain; version=0.0.4; charset=utf-8', await context.metrics());
    } catch (thrown) {
      writeError(context, { req, res }, thrown);
    }
  };
}

function verbsAt(path: string): string {
  const verbs = routes.filter((route) => route.path === path).map(({ verb }) => verb.toUpperCase());
  return verbs.join(', ');
}
