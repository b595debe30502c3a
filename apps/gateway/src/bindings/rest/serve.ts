import type { Router } from 'express';
import type { Exchange, Handler } from '../../exchange/exchange.ts';
import { readOptionalJson } from '../../exchange/read-json.ts';
import { deletionPath, serveDeletion } from '../../http/serve-deletion.ts';
import type { Entrance } from '../gateway-context.ts';
import { openCall } from '../http-call.ts';
import { type Answer, runOperation } from '../run-operation.ts';
import { parseRequest } from './parse-request.ts';
import { type Route, routes } from './routes.ts';
import { refuseVerb } from './unserved.ts';
import { writeError, writeResult, writeStream } from './write.ts';

/** A2A over HTTP+JSON (chapter 11), below the base of one agent or of a pattern of agents. */
export function routeRest(router: Router, base: string, entrance: Entrance): void {
  for (const route of routes) {
    // Express answers HEAD by the handler of GET; of a stream there is no head to be had without the stream.
    const isStream = entrance.operations[route.operation].kind === 'streaming';
    if (isStream) router.head(base + route.path, refuseVerb(entrance, verbsAt(route.path)));
    router[route.verb](base + route.path, serveRest(entrance, route));
  }
  router.delete(base + deletionPath, serveDeletion(entrance));
  for (const path of new Set(routes.map((route) => route.path)))
    router.all(base + path, refuseVerb(entrance, verbsAt(path)));
}

function verbsAt(path: string): string {
  const verbs = routes.filter((route) => route.path === path).map(({ verb }) => verb.toUpperCase());
  return [...verbs, ...(path === deletionPath ? ['DELETE'] : [])].join(', ');
}

export function serveRest(entrance: Entrance, route: Route): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    try {
      const answer = await ask(entrance, exchange, route);
      if ('reply' in answer) return writeResult(exchange, answer.reply);
      using stream = answer;
      await writeStream(entrance, exchange, stream.items);
    } catch (thrown) {
      writeError(entrance, exchange, thrown);
    }
  };
}

async function ask(entrance: Entrance, exchange: Exchange, route: Route): Promise<Answer> {
  const { req } = exchange;
  const principal = await entrance.authenticator.authenticate(req.headers);
  const body = route.hasBody ? await readOptionalJson(req, entrance.settings.maxBodyBytes) : {};
  const params = parseRequest(req, route, body);
  const call = openCall(entrance, exchange, { principal, tenant: params.tenant });
  return runOperation(entrance, route.operation, { call, params });
}
