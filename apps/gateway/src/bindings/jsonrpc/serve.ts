import type { Principal } from '@switchyard/store';
import type { Exchange, Handler } from '../../exchange/exchange.ts';
import { parseJson } from '../../exchange/parse-json.ts';
import { readJsonText } from '../../exchange/read-json.ts';
import { reportFailure } from '../../exchange/report-failure.ts';
import { type OperationName, operationNames } from '../../operations/operations.ts';
import type { Entrance } from '../gateway-context.ts';
import { openCall } from '../http-call.ts';
import { type Answer, runOperation } from '../run-operation.ts';
import { isLegacy, serveLegacy } from '../v0_3/serve-jsonrpc.ts';
import { type JsonRpcRequest, parseRequest, type ReceivedJson } from './parse-request.ts';
import { writeError, writeResult, writeStream } from './write.ts';

/** Of a request whose caller is unknown only the id is wanted. */
const mostUnauthenticatedBytes = 64 * 1024;

/** A2A over JSON-RPC 2.0 (chapter 9): one URL for all operations of an agent. */
export function serveJsonRpc(entrance: Entrance): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    let id = 'null';
    try {
      const answer = await ask(entrance, exchange, (named) => {
        id = named;
      });
      if (answer === 'served') return;
      if ('reply' in answer) return writeResult(res, id, answer.reply);
      using stream = answer;
      await writeStream(entrance, exchange, { id, items: stream.items });
    } catch (thrown) {
      writeError(entrance, exchange, { id, thrown });
    }
  };
}

/** @param onId told the id of the request as soon as it is known. @returns `served`: nothing is left to be written */
async function ask(entrance: Entrance, exchange: Exchange, onId: (id: string) => void): Promise<Answer | 'served'> {
  const principal = await authenticate(entrance, exchange, onId);
  const received = await receive(exchange, entrance.settings.maxBodyBytes);
  if (isLegacy(entrance, exchange, received.body)) {
    await serveLegacy(entrance, exchange, { principal, received });
    return 'served';
  }
  const request = parseRequest(received, operationNames);
  onId(request.id);
  if (request.isNotification) {
    await obey(entrance, exchange, { principal, request });
    return 'served';
  }
  return run(entrance, exchange, { principal, request });
}

async function receive({ req }: Exchange, maxBytes: number): Promise<ReceivedJson> {
  const text = await readJsonText(req, maxBytes);
  return { text, body: parseJson(text) };
}

/** The refusal carries the id of its request, for a client to know what was refused. */
async function authenticate(
  { authenticator, settings }: Entrance,
  exchange: Exchange,
  onId: (id: string) => void,
): Promise<Principal> {
  try {
    return await authenticator.authenticate(exchange.req.headers);
  } catch (refusal) {
    const received = receive(exchange, Math.min(settings.maxBodyBytes, mostUnauthenticatedBytes));
    // Of a body that cannot be read there is no id to be had, and the refusal says enough.
    onId(await received.then(({ text, body }) => parseRequest({ text, body }, []).id).catch(() => 'null'));
    throw refusal;
  }
}

interface Received {
  readonly principal: Principal;
  readonly request: JsonRpcRequest<OperationName>;
}

async function run(entrance: Entrance, exchange: Exchange, { principal, request }: Received): Promise<Answer> {
  if (request.error) throw request.error;
  const { method, params } = request;
  const call = openCall(entrance, exchange, { principal, tenant: tenantIn(params) });
  return runOperation(entrance, method, { call, params });
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
