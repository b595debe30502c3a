import { A2AError } from '@switchyard/protocol';
import express, { type Express, type Request, type RequestHandler } from 'express';
import { refuseFault, refusePath, refuseVerb, writeError } from '../bindings/rest/write.ts';
import {
  beginEachExchange,
  type Exchange,
  type Refusal,
  requestName,
  respond,
  sourceOf,
} from '../exchange/exchange.ts';
import { audited, type Deed, type Doer } from '../telemetry/audited.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { auditRoute } from './audit.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { agentRoutes, healthRoute, turnRoutes, workerRoutes } from './deployment.ts';
import { keyRoutes } from './keys.ts';
import type { Operator, Operators } from './operators.ts';
import type { AdminBackend, AdminRoute } from './route.ts';
import { taskRoutes } from './tasks.ts';
import { tenantRoutes } from './tenants.ts';

export interface AdminContext extends Refusal {
  readonly operators: Operators;
  readonly backend: AdminBackend;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
}

const routes: readonly AdminRoute[] = [
  healthRoute,
  auditRoute,
  ...agentRoutes,
  ...workerRoutes,
  ...turnRoutes,
  ...deadLetterRoutes,
  ...taskRoutes,
  ...tenantRoutes,
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
      const outcome = toA2AError(thrown).code;
      audit(context, { req, res }, { what: 'refused', operation: 'admin', outcome });
      return writeError(context, { req, res }, thrown);
    }
    next();
  };
}

function serve(context: AdminContext, route: AdminRoute): RequestHandler {
  return async (req, res) => {
    const { who } = operatorOf(req);
    try {
      const answer = await route.run(context.backend, req, operatorOf(req));
      if (route.verb !== 'get') context.emit({ kind: 'admin-action', who, ...requestName({ req, res }) });
      audit(context, { req, res }, { ...deedOf(route, req), outcome: 'ok' }, { subject: who });
      res.setHeader('Cache-Control', 'no-store');
      if (answer === undefined) res.writeHead(204).end();
      else respond(res, 'application/json', JSON.stringify(answer));
    } catch (thrown) {
      audit(context, { req, res }, { ...deedOf(route, req), outcome: toA2AError(thrown).code }, { subject: who });
      writeError(context, { req, res }, thrown);
    }
  };
}

function audit({ emit }: AdminContext, exchange: Exchange, deed: Deed, doer?: Doer): void {
  emit(audited(deed, sourceOf(exchange), doer));
}

/** To read what a client or an agent wrote is more than to read. */
function deedOf({ verb, path }: AdminRoute, req: Request): Omit<Deed, 'outcome'> {
  const isRead = verb === 'get' && req.query.contents !== 'true';
  const changed = path.startsWith('/admin/keys') ? (verb === 'post' ? 'key-create' : 'key-revoke') : 'admin';
  const { id: object } = req.params;
  const operation = `${verb.toUpperCase()} ${path.replaceAll('\\', '')}`;
  return {
    what: isRead ? 'read' : changed,
    operation,
    ...(typeof object === 'string' && { object: object.slice(0, 128) }),
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
