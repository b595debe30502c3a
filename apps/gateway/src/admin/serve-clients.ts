import type { RequestListener } from 'node:http';
import { beginExchange } from '../exchange/exchange.ts';
import { type AdmitParts, admitOperator } from './admit.ts';

const prefix = '/a2a';

/**
 * Serves operators what clients are served, below `/a2a`: the console tries agents from its own origin. The clients'
 * own sign-in judges the request once more.
 */
export function withClients(context: AdmitParts, app: RequestListener, served: RequestListener): RequestListener {
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
