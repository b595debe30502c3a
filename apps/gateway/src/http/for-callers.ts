import type { Admission } from '../admission/admission.ts';
import type { Action } from '../admission/scopes.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { admit } from '../bindings/http-call.ts';
import type { Exchange, Handler } from '../exchange/exchange.ts';

/** Serves an admitted caller. @throws {A2AError} which the router answers */
type CallerHandler = (admission: Admission, exchange: Exchange) => Promise<void>;

/** A handler outside A2A: admits the caller, who needs the permission for the action, and counts the request. */
export function forCallers(context: GatewayContext, action: Action, serve: CallerHandler): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    const admission = await admit(context, exchange);
    admission.permit(action);
    await serve(admission, exchange);
  };
}
