import type { RequestListener } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { refuseFault, refusePath, refuseVerb, writeError, writeRestStream } from '../bindings/rest.ts';
import { beginEachExchange, beginExchange, requestName, respond } from '../exchange/exchange.ts';
import { answerFile } from '../files/answer-file.ts';
import { defaultGatewaySettings, type OidcSettings } from '../settings/gateway-settings.ts';
import type { AuditEntry } from '../telemetry/audit.ts';
import { toA2AError } from '../telemetry/failures.ts';
import type { GatewayMetrics } from '../telemetry/metrics.ts';
import { auditRoute, keyRoutes, meRoutes } from './access.ts';
import type { AdminBackends } from './admin-backends.ts';
import { archiveRoutes } from './archive.ts';
import { serveConsole } from './console.ts';
import { bulkRetryRoutes, deadLetterRoutes } from './dead-letters.ts';
import { agentRoutes, healthRoute, logLevelRoutes, turnRoutes, workerRoutes } from './deployment.ts';
import { filesRoute } from './files.ts';
import type { OperatorStreams } from './live.ts';
import { type AdmitDependencies, admitOperator, audit, metricsPath, type Operator, operatorName } from './operators.ts';
import { explained, forOperators } from './outages.ts';
import { overviewRoute } from './overview.ts';
import { type AdminRoute, EventsAnswer, FileAnswer } from './route.ts';
import { scheduleRoutes } from './schedules.ts';
import { seriesRoutes } from './series.ts';
import { rerunRoutes, taskActionRoutes, taskRoutes } from './tasks.ts';
import { conversationRoutes, tenantRoutes } from './tenants.ts';
import { usageRoutes } from './usage.ts';

export interface AdminContext extends AdmitDependencies {
  readonly backends: Pick<AdminBackends, 'chosenBy'>;
  readonly streams: OperatorStreams;
  readonly metrics: Pick<GatewayMetrics, 'render'>;
  /** Unset: no console. */
  readonly console?: ConsoleDependencies | undefined;
}

interface ConsoleDependencies {
  /** The handler of the clients' paths, with which operators try agents. */
  readonly served: RequestListener;
  readonly oidc: OidcSettings | undefined;
}

const routes: readonly AdminRoute[] = [
  healthRoute,
  auditRoute,
  overviewRoute,
  ...archiveRoutes,
  filesRoute,
  ...agentRoutes,
  ...workerRoutes,
  ...turnRoutes,
  ...deadLetterRoutes,
  ...bulkRetryRoutes,
  ...conversationRoutes,
  ...scheduleRoutes,
  ...seriesRoutes,
  ...logLevelRoutes,
  ...meRoutes,
  ...taskRoutes,
  ...taskActionRoutes,
  ...rerunRoutes,
  ...tenantRoutes,
  ...usageRoutes,
  ...keyRoutes,
];

/** The operators' API. Without a key every path is answered with 401. */
export function createAdminApp(context: AdminContext): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', 'simple');
  app.use(beginEachExchange(context.emit));
  if (context.console) app.use('/console', serveConsole(context.console));
  app.use(requireOperator(context));
  app.get(metricsPath, serveMetrics(context)).all(metricsPath, refuseVerb(context, 'GET'));
  for (const route of routes) app[route.verb](route.path, serveOperator(context, route));
  for (const path of new Set(routes.map((route) => route.path))) app.all(path, refuseVerb(context, verbsAt(path)));
  app.use(refusePath(context));
  app.use(refuseFault(context));
  return context.console ? withClients(context, app, context.console.served) : app;
}

/** The operator of each request. */
const admitted = new WeakMap<Request, Operator>();

function requireOperator(context: AdminContext): RequestHandler {
  return async (req, res, next) => {
    const operator = await admitOperator(context, { req, res });
    if (!operator) return;
    admitted.set(req, operator);
    next();
  };
}

function serveOperator(context: AdminContext, route: AdminRoute): RequestHandler {
  const streaming = { emit: context.emit, settings: defaultGatewaySettings };
  return async (req, res) => {
    const operator = operatorOf(req);
    let entry = entryOf(route, req);
    try {
      const chosen = context.backends.chosenBy(req, route.path);
      entry = { ...entry, deployment: chosen.deployment };
      // Streams of events, files, and answers without content have no field that says it.
      if (chosen.deployment !== undefined) res.setHeader('Switchyard-Deployment', chosen.deployment);
      const { answer, details } = await route.run(chosen, req, operator);
      const who = operatorName(operator);
      if (route.verb !== 'get') context.emit({ kind: 'admin-action', who, ...requestName({ req, res }) });
      const signal = answer instanceof EventsAnswer ? context.streams.watch(res, operator) : undefined;
      audit(context, { req, res }, { ...entry, ...details, outcome: 'ok' }, operator);
      res.setHeader('Cache-Control', 'no-store');
      if (answer instanceof EventsAnswer && signal)
        await writeRestStream(streaming, { req, res }, { items: explained(entry.deployment, answer.events(signal)) });
      else if (answer instanceof FileAnswer)
        await answerFile(answer.file, { req, res }).finally(() => answer.file.close());
      else if (answer === undefined) res.writeHead(204).end();
      else respond(res, 'application/json', JSON.stringify(answer));
    } catch (thrown) {
      audit(context, { req, res }, { ...entry, outcome: toA2AError(thrown).code }, operator);
      writeError(context, { req, res }, forOperators(entry.deployment, thrown));
    }
  };
}

/** Reading texts of clients or agents needs more than reading. */
function entryOf({ verb, path, what }: AdminRoute, req: Request): Omit<AuditEntry, 'outcome'> {
  const { id: object } = req.params;
  const operation = `${verb.toUpperCase()} ${path.replaceAll('\\', '')}`;
  return {
    what: req.query.contents === 'true' ? 'admin' : what,
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
      const { type, text } = await context.metrics.render(req.headers.accept);
      respond(res, type, text);
    } catch (thrown) {
      writeError(context, { req, res }, thrown);
    }
  };
}

function verbsAt(path: string): string {
  const verbs = routes.filter((route) => route.path === path).map(({ verb }) => verb.toUpperCase());
  return verbs.join(', ');
}

const prefix = '/a2a';

/**
 * Serves the clients' paths to operators below `/a2a`, so that the console can try agents from its own origin. The
 * clients' authentication checks the request again.
 */
function withClients(context: AdmitDependencies, app: RequestListener, served: RequestListener): RequestListener {
  return (req, res) => {
    const { url = '' } = req;
    if (!url.startsWith(`${prefix}/`)) return app(req, res);
    const exchange = { req: Object.assign(req, { path: url, params: {}, query: {} }), res };
    beginExchange(context.emit, exchange);
    admitOperator(context, exchange)
      .then((operator) => {
        if (!operator) return;
        req.url = url.slice(prefix.length);
        served(req, res);
      })
      .catch(() => res.destroy());
  };
}
