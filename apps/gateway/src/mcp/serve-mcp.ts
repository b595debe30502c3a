import { A2AError } from '@switchyard/protocol';
import Negotiator from 'negotiator';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { admit, bodyLimits } from '../bindings/http-call.ts';
import { writeRpcError } from '../bindings/jsonrpc.ts';
import { drained, type Exchange, type Handler } from '../exchange/exchange.ts';
import { parseJson, readJsonText } from '../exchange/read-json.ts';
import type { McpRequest } from './mcp-call.ts';
import type { McpToolsServer } from './mcp-tools-server.ts';

/** Every agent as a tool of the Model Context Protocol, over streamable HTTP, without sessions. */
export function serveMcp(context: GatewayContext): Handler {
  let toolsServer: Promise<McpToolsServer> | undefined;
  // The SDK is loaded with the first request, so that it costs nothing if MCP is not used.
  const open = async (): Promise<McpToolsServer> => new (await import('./mcp-tools-server.ts')).McpToolsServer(context);
  return async (req, res) => {
    const exchange = { req, res };
    try {
      const admission = await admit(context, exchange);
      const body = parseJson(await readJsonText(req, bodyLimits(context, exchange, admission)));
      requireSingle(body);
      toolsServer ??= open();
      using watched = watch(context, { exchange, admission }, body);
      const answer = await (await toolsServer).answer(webRequest(exchange, watched.signal), body, {
        exchange,
        admission,
      });
      await write(exchange, answer);
    } catch (thrown) {
      writeRpcError(context, exchange, { id: 'null', thrown });
    }
  };
}

/** Each message is admitted separately. @throws {A2AError} InvalidRequest */
function requireSingle(body: unknown): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return;
  throw new A2AError('InvalidRequest', 'The body must be one JSON-RPC message: batches are not supported');
}

interface WatchedRequest extends Disposable {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A subscription is a stream of the caller; it ends with the caller's credential or this gateway. */
function watch({ heldRequests }: GatewayContext, { exchange, admission }: McpRequest, body: unknown): WatchedRequest {
  const { res } = exchange;
  if (Object(body).method === 'subscriptions/listen') {
    const slot = admission.hold('stream');
    return { signal: heldRequests.watch(res, admission), [Symbol.dispose]: () => slot[Symbol.dispose]() };
  }
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return { signal: gone.signal, [Symbol.dispose]: () => undefined };
}

/** The headers that the SDK needs, without credentials. */
const read = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

function webRequest({ req }: Exchange, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of read) {
    const value = req.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  // The SDK looks for both names, and does not know that `*/*`, or no header, is both.
  const accepted = new Negotiator({ headers: req.headers }).mediaTypes(['application/json', 'text/event-stream']);
  if (accepted.length === 2) headers.set('accept', 'application/json, text/event-stream');
  return new Request('http://gateway/mcp', { method: 'POST', headers, signal });
}

async function write({ res }: Exchange, { status, headers, body }: Response): Promise<void> {
  if (res.closed) return;
  // nginx would otherwise buffer events.
  res.writeHead(status, [...[...headers].flat(), 'X-Accel-Buffering', 'no']);
  for await (const piece of body ?? []) {
    if (res.closed) return;
    if (!res.write(piece)) await drained(res);
  }
  res.end();
}
