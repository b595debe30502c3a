import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Answers one JSON-RPC request, or does anything else with it. */
export type Answer = (
  response: ServerResponse,
  request: { readonly method: string; readonly number: number },
) => unknown;

export interface OddAgent extends AsyncDisposable {
  readonly url: string;
  /** Number of requests so far, without those for the card. */
  readonly requests: number;
}

/** An agent whose behaviour the test chooses. @param endpoint in its card. Default: its own */
export async function startOddAgent(answer: Answer, endpoint?: string): Promise<OddAgent> {
  let requests = 0;
  const server = createServer(async (request: IncomingMessage, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify(card(endpoint ?? `${url}/`)));
    const { method } = JSON.parse(await text(request));
    requests++;
    return answer(response, { method, number: requests });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function card(url: string): object {
  const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  const about = { name: 'Odd', description: 'Behaves as a test wants', version: '1.0.0', capabilities: {}, skills: [] };
  return { ...about, defaultInputModes: [], defaultOutputModes: [], supportedInterfaces };
}

/** A task that is completed at once. */
export function completed(response: ServerResponse, id: string = crypto.randomUUID()): void {
  const task = { id, contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task } }));
}

export function refused(response: ServerResponse, code: number): void {
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message: 'Not today' } }));
}

/** A stream with these ids; by default its last event completes the task. */
export function stream(response: ServerResponse, ids: readonly number[], lastState = 'TASK_STATE_COMPLETED'): void {
  response.setHeader('content-type', 'text/event-stream');
  const taskId = crypto.randomUUID();
  for (const [i, id] of ids.entries()) {
    const status = { state: i === ids.length - 1 ? lastState : 'TASK_STATE_WORKING' };
    const result = i === 0 ? { task: { id: taskId, status } } : { statusUpdate: { taskId, contextId: 'c', status } };
    response.write(`id: ${id}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`);
  }
  response.end();
}
