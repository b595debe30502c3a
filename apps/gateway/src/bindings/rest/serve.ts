import type { Exchange, Handler, Route } from '../../exchange/exchange.ts';
import { readOptionalJson } from '../../exchange/read-json.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { type Answer, openCall, runOperation } from '../http-call.ts';
import { parseRequest } from './parse-request.ts';
import { type OperationRoute, routes } from './routes.ts';
import { writeError, writeResult, writeStream } from './write.ts';

/** A2A over HTTP+JSON (chapter 11), below the base of one agent or of a pattern of agents. */
export function restRoutes(context: GatewayContext, base: string): Route[] {
  return routes.map((route) => ({
    verb: route.verb,
    path: base + route.path,
    handle: serveRest(context, route),
    isStream: context.operations[route.operation].kind === 'streaming',
  }));
}

function serveRest(context: GatewayContext, route: OperationRoute): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    try {
      const answer = await handle(context, exchange, route);
      if ('reply' in answer) return writeResult(exchange, answer.reply);
      using stream = answer;
      await writeStream(context, exchange, stream.items);
    } catch (thrown) {
      writeError(context, exchange, thrown);
    }
  };
}

async function handle(context: GatewayContext, exchange: Exchange, route: OperationRoute): Promise<Answer> {
  const { req } = exchange;
  const principal = await context.authenticator.authenticate(req.headers);
  const body = route.hasBody ? await readOptionalJson(req, context.settings.maxBodyBytes) : {};
  const params = parseRequest(req, route, body);
  const call = openCall(context, exchange, { principal, tenant: params.tenant });
  return runOperation(context, route.operation, { call, params });
}
