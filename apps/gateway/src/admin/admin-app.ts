import { A2AError } from '@switchyard/protocol';
import express, { type Express, type Request, type RequestHandler } from 'express';
import { refuseFault, refusePath, refuseVerb, writeError } from '../bindings/rest/write.ts';
import { beginEachExchange, type Refusal, requestName, respond } from '../exchange/exchange.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { agentRoutes, healthRoute, turnRoutes, workerRoutes } from './deployment.ts';
import { keyRoutes } from './keys.ts';
import type { Operator, Operators } from './operators.ts';
import type { AdminBackend, AdminRoute } from './route.ts';
import { taskRoutes } from './tasks.ts';

export interface AdminContext extends Refusal {
  readonly operators: Operators;
  readonly backend: AdminBackend;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
}

const routes: readonly AdminRoute[] = [
  healthRoute,
  ...agentRoutes,
  ...workerRoutes,
  ...turnRoutes,
  ...deadLetterRoutes,
  ...taskRoutes,
  ...keyRoutes,
];
const metricsPath = '/metrics';

/** The API for operators. Without a key every path is answered with 401. */
export function createAdminApp(context: AdminContext): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', 'simple');
  app.use(beginEachExchange(context.emit), requireOperator(context));
  app.get(metricsPath, serveMetrics(context)).all(metricsPath, refuseVerb(context, 'GET'));
  for (const route of routes) app[route.verb](route.path, serve(context, route));
  for (const path of new Set(routes.map((route) => route.path))) app.all(path, refuseVerb(context, verbsAt(path)));
  app.use(refusePath(context));
  app.use(refuseFault(context));
  return app;
}

/** Who asks, by request. */
const admitted = new WeakMap<Request, Operator>();

function requireOperator(context: AdminContext): RequestHandler {
  return async (req, res, next) => {
    try {
      const operator = await context.operators.identify(req.headers);
      if (operator.isMetricsOnly && req.path !== metricsPath)
        throw new A2AError('PermissionDenied', `The key is for ${metricsPath} alone`);
      admitted.set(req, operator);
    } catch (thrown) {
      return writeError(context, { req, res }, thrown);
    }
    next();
  };
}

function serve(context: AdminContext, { verb, run }: AdminRoute): RequestHandler {
  return async (req, res) => {
    try {
      const operator = operatorOf(req);
      const answer = await run(context.backend, req, operator);
      if (verb !== 'get') context.emit({ kind: 'admin-action', who: operator.who, ...requestName({ req, res }) });
      res.setHeader('Cache-Control', 'no-store');
      if (answer === undefined) res.writeHead(204).end();
      else respond(res, 'application/json', JSON.stringify(answer));
    } catch (thrown) {
      writeError(context, { req, res }, thrown);
    }
  };
}

function operatorOf(req: Request): Operator {
  const operator = admitted.get(req);
  if (!operator) throw new TypeError('a request reached its route without its operator');
  return operator;
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
