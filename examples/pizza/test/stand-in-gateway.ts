import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Agent, runTurn } from '@switchyard/agent';
import { MemoryPort } from '@switchyard/agent/testing';
import { isTerminal, type StreamResponse, sendMessageRequestSchema, type Task } from '@switchyard/protocol';
import { z } from 'zod';

const callSchema = z.object({ method: z.literal('SendStreamingMessage'), params: sendMessageRequestSchema });

/** As much of a gateway as the chat client meets: SendStreamingMessage over JSON-RPC, one process, tasks in memory. */
export class StandInGateway implements AsyncDisposable {
  /** taskId and contextId of every message that came. */
  readonly received: (readonly [string | undefined, string | undefined])[] = [];
  readonly #tasks = new Map<string, Task>();
  readonly #server = createServer(async (request, response) => {
    await this.#serve(callSchema.parse(await json(request)), response);
  });
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** A task that the client knows is gone, or has ended behind its back. */
  forget(): void {
    this.#tasks.clear();
  }

  async #serve({ params: { message } }: z.infer<typeof callSchema>, response: ServerResponse): Promise<void> {
    const { taskId, contextId } = message;
    this.received.push([taskId, contextId]);
    const task = taskId === undefined ? undefined : this.#tasks.get(taskId);
    if (taskId !== undefined && !task) return sendError(response, -32001, 'The task does not exist.');
    if (task && isTerminal(task.status.state)) return sendError(response, -32004, 'The task has ended.');
    const port = new MemoryPort(task ? { message, task } : { message });
    await runTurn(this.#agent, port);
    this.#tasks.set(port.input.task.id, port.current);
    sendStream(response, [{ task: port.input.task }, ...port.events]);
  }
}

function sendStream(response: ServerResponse, events: readonly StreamResponse[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(': heartbeat\n\n');
  for (const [seq, result] of events.entries()) {
    response.write(`id: ${seq + 1}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`);
  }
  response.end();
}

function sendError(response: ServerResponse, code: number, message: string): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }));
}
