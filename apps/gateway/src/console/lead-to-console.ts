import { A2AError } from '@switchyard/protocol';
import { writeError } from '../bindings/rest.ts';
import type { Handler, Refusal } from '../exchange/exchange.ts';

/**
 * `GET /console` on the clients' port: leads to the operators' port, or says how to get a console.
 * @param consoleUrl undefined: it is off
 */
export function leadToConsole(context: Refusal, consoleUrl: () => string | undefined): Handler {
  return (req, res) => {
    const url = consoleUrl();
    if (url === undefined) return writeError(context, { req, res }, new A2AError('NotFound', howToGetIt));
    res.writeHead(307, { Location: url, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
  };
}

const howToGetIt =
  'The console is not served here. It is on the port for operators: set ADMIN_PORT and ADMIN_KEY, and leave CONSOLE on';
