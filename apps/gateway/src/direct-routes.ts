import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { serveJsonRpc } from './bindings/jsonrpc/serve.ts';
import { routes as restRoutes } from './bindings/rest/routes.ts';
import { serveRest } from './bindings/rest/serve.ts';
import { beginExchange } from './http/begin-exchange.ts';
import type { Entrance } from './http/entrance.ts';
import type { Handler } from './http/exchange.ts';

interface DirectRoute {
  readonly method: string;
  /** Of the whole URL in its plainest form: without a query, an escape or a slash at its end. */
  readonly form: RegExp;
  readonly handle: Handler;
}

/**
 * Operations go to the handlers that Express would find for them: to find one, and to give the request another prototype, costs it
 * a fifth of what GetTask takes, and a kilobyte for as long as a stream is open. All else, and operations in any other form, are its own.
 */
export function directRoutes(entrance: Entrance, app: RequestListener): RequestListener {
  const routes: readonly DirectRoute[] = [
    { method: 'POST', form: /^\/(?:agents\/(?<agentId>[^/?%]+))?$/, handle: serveJsonRpc(entrance) },
    ...restRoutes.map((route) => ({
      method: route.verb.toUpperCase(),
      form: plainForm(route.path),
      handle: serveRest(entrance, route),
    })),
  ];
  return (req, res) => {
    const { method, url = '' } = req;
    for (const route of routes) {
      const found = method === route.method && route.form.exec(url);
      if (found) return serveDirectly(entrance, { req, res, handle: route.handle, params: { ...found.groups } });
    }
    app(req, res);
  };
}

/** @param path of an operation, as Express has it: `/tasks/:id\\:cancel` */
function plainForm(path: string): RegExp {
  const parts = path.replaceAll(/(?<!\\):(\w+)/g, '(?<$1>[^/?%:]+)').replaceAll('\\:', ':');
  return new RegExp(`^(?:/agents/(?<agentId>[^/?%]+))?${parts}$`);
}

interface Found {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly handle: Handler;
  readonly params: Readonly<Record<string, string>>;
}

const noQuery = {};

function serveDirectly({ observe }: Entrance, { req, res, handle, params }: Found): void {
  const routed = Object.assign(req, { path: req.url ?? '', params, query: noQuery });
  beginExchange(observe, { req: routed, res });
  // It answers its failures itself; if even that fails, the caller is not left waiting.
  handle(routed, res).catch(() => res.destroy());
}
