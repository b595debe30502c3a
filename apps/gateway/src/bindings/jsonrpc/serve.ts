import type { Principal } from '@switchyard/store';
import { type Entrance, openCall } from '../../http/entrance.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { readJson } from '../../http/read-json.ts';
import { reportFailure } from '../../http/report-failure.ts';
import { type OperationName, operationNames } from '../../operations/operations.ts';
import { isLegacy, serveLegacy } from '../v0_3/serve-jsonrpc.ts';
import { type JsonRpcRequest, parseRequest } from './parse-request.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';
import { writeStream } from './write-stream.ts';

/** A2A over JSON-RPC 2.0 (chapter 9): one URL for all operations of an agent. */
export function serveJsonRpc(entrance: Entrance): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    let id = 'null';
    try {
      const principal = await entrance.authenticator.authenticate(req.headers);
      const body = await readJson(req, entrance.settings.maxBodyBytes);
      if (isLegacy(entrance, exchange, body)) return await serveLegacy(entrance, exchange, { principal, body });
      const request = parseRequest(body, operationNames);
      id = request.id;
      await (request.isNotification ? obey : answer)(entrance, exchange, { principal, request });
    } catch (thrown) {
      writeError(entrance, exchange, { id, thrown });
    }
  };
}

interface Received {
  readonly principal: Principal;
  readonly request: JsonRpcRequest<OperationName>;
}

async function answer(entrance: Entrance, exchange: Exchange, { principal, request }: Received): Promise<void> {
  if (request.error) throw request.error;
  const call = openCall(entrance, exchange, { principal, tenant: tenantIn(request.params) });
  const operation = entrance.operations[request.method];
  if (operation.kind === 'unary') {
    return writeResult(exchange.res, request.id, await operation.invoke(call, request.params));
  }
  using _slot = entrance.streams.take();
  const items = await operation.invoke(call, request.params);
  await writeStream(entrance, exchange, { id: request.id, items });
}

/** A notification is done, whatever comes of it: there is no answer to put an error into. */
async function obey(entrance: Entrance, exchange: Exchange, { principal, request }: Received): Promise<void> {
  try {
    if (request.error) throw request.error;
    const call = openCall(entrance, exchange, { principal, tenant: tenantIn(request.params) });
    await entrance.operations[request.method].invoke(call, request.params);
  } catch (thrown) {
    reportFailure(entrance, exchange, thrown);
  }
  exchange.res.statusCode = 204;
  exchange.res.end();
}

function tenantIn(params: object): unknown {
  return 'tenant' in params ? params.tenant : undefined;
}
