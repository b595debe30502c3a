import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A received JSON-RPC call. */
export interface Called {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly headers: IncomingHttpHeaders;
}

/**
 * A result, a body as it is, an error by its code, the events of a stream, or events followed by a cut connection. A stream with
 * `endsAfter` stays open until that many calls of GetTask, and ends with its last event.
 */
export type Reply =
  | { readonly result: object | null }
  | { readonly body: string; readonly type: string }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly events: readonly object[]; readonly isCut?: boolean; readonly endsAfter?: number };

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly Called[];
  /** Headers of the requests for the card. */
  readonly cardHeaders: readonly IncomingHttpHeaders[];
  /** From now on calls with such an Authorization header are answered with 401. */
  refuse(isRefused: (authorization: string | undefined) => boolean): void;
}

interface ScriptedCard {
  readonly streaming?: boolean;
  readonly tenant?: string;
  readonly securitySchemes?: object;
  readonly extensions?: readonly object[];
  readonly defaultInputModes?: readonly string[];
}

function cardAt(url: string, { streaming = true, tenant, extensions, ...given }: ScriptedCard): object {
  const face = { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', ...(tenant && { tenant }) };
  return {
    name: 'Scripted',
    capabilities: { streaming, extensions },
    supportedInterfaces: [face],
    ...given,
  };
}

/** An agent with scripted replies: each method has its own, in order, and repeats the last one. */
export async function scriptedServer(
  script: Readonly<Record<string, readonly Reply[]>>,
  card: ScriptedCard = {},
): Promise<ScriptedServer> {
  const calls: Called[] = [];
  const cardHeaders: IncomingHttpHeaders[] = [];
  let isRefused: Parameters<ScriptedServer['refuse']>[0] = () => false;
  const reads = (): number => calls.filter((call) => call.method === 'GetTask').length;
  const server = createServer(async (request, response): Promise<unknown> => {
    if (request.method === 'GET') {
      cardHeaders.push(request.headers);
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(cardAt(url, card)));
    }
    const { id, method, params } = (await json(request)) as Called & { id: number };
    const replies = script[method] ?? [];
    const reply = replies[Math.min(calls.filter((call) => call.method === method).length, replies.length - 1)];
    calls.push({ method, params, headers: request.headers });
    if (isRefused(request.headers.authorization)) return response.writeHead(401).end();
    const wrap = (answer: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...answer });
    if (!reply) return response.end(wrap({ error: { code: -32601, message: 'no such method' } }));
    if ('body' in reply) return response.writeHead(200, { 'content-type': reply.type }).end(reply.body);
    if ('events' in reply) return answerStream(response, { reply, wrap, reads });
    return response.writeHead(200, { 'content-type': 'application/json' }).end(wrap(reply));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    cardHeaders,
    refuse: (next) => {
      isRefused = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Streamed {
  readonly reply: Extract<Reply, { readonly events: readonly object[] }>;
  readonly wrap: (answer: object) => string;
  /** The number of calls of GetTask. */
  readonly reads: () => number;
}

function answerStream(response: ServerResponse, { reply, wrap, reads }: Streamed): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { events, endsAfter } = reply;
  const lineOf = (result: unknown): string => `data: ${wrap({ result })}\n\n`;
  response.flushHeaders();
  for (const result of endsAfter === undefined ? events : events.slice(0, -1)) response.write(lineOf(result));
  if (endsAfter !== undefined) endLater(response, lineOf(events.at(-1)), () => reads() >= endsAfter);
  else if (reply.isCut) setImmediate(() => response.destroy());
  else response.end();
}

/** Ends an open stream with this text. */
function endLater(response: ServerResponse, text: string, isTime: () => boolean): void {
  const end = setInterval(() => {
    if (isTime()) response.end(text);
  }, 20);
  response.once('close', () => clearInterval(end));
}
