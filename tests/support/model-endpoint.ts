import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullable(),
    }),
  ),
  tools: z.array(z.unknown()).optional(),
  tool_choice: z.unknown().optional(),
});

export interface ModelRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: z.infer<typeof bodySchema>;
}

export type Script = (response: ServerResponse, request: ModelRequest) => void;

/** An HTTP server with the API of a model and scripted answers. */
export class ModelEndpoint implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  readonly #asked = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<boolean>();
  readonly #script: Script;
  readonly #server = createServer(async (request, response) => {
    const received = { headers: request.headers, body: bodySchema.parse(await json(request)) };
    this.requests.push(received);
    response.once('close', () => this.#answered.resolve(response.writableFinished));
    this.#script(response, received);
    this.#asked.resolve();
  });

  constructor(script: Script) {
    this.#script = script;
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
  }

  /** Resolves with the first request. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** Resolves when the first response is closed: to false if the client closed it before its end. */
  get answeredWholly(): Promise<boolean> {
    return this.#answered.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

/** Streams the chunks of a chat completion, and ends with the finish reason. */
export function stream(chunks: readonly string[], finishReason = 'stop'): Script {
  return (response) => {
    send(response, chunks);
    response.write(event({ delta: {}, finish_reason: finishReason }));
    response.end('data: [DONE]\n\n');
  };
}

/** Begins a stream, and leaves it open. */
export function send(response: ServerResponse, chunks: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const content of chunks) response.write(event({ delta: { content }, finish_reason: null }));
}

/** Follows one script per request, in order; the last one answers all further requests. */
export function inTurn(...scripts: readonly Script[]): Script {
  let asked = 0;
  return (response, request) => scripts[Math.min(asked++, scripts.length - 1)]?.(response, request);
}

/** Streams the chunks, then tool calls with their arguments in two chunks. */
export function callTools(calls: readonly ToolUse[], chunks: readonly string[] = []): Script {
  return (response) => {
    send(response, chunks);
    calls.forEach(({ id, name, args }, index) => {
      const [first, second] = [args.slice(0, 3), args.slice(3)];
      const begin = { index, id, type: 'function', function: { name, arguments: first } };
      response.write(event({ delta: { tool_calls: [begin] }, finish_reason: null }));
      response.write(
        event({ delta: { tool_calls: [{ index, function: { arguments: second } }] }, finish_reason: null }),
      );
    });
    response.write(event({ delta: {}, finish_reason: 'tool_calls' }));
    response.end('data: [DONE]\n\n');
  };
}

/** Streams these choices, one in each chunk. @param also fields of each chunk */
export function streamChoices(choices: readonly object[], also: object = {}): Script {
  return (response) => {
    send(response, []);
    for (const choice of choices) response.write(event(choice, also));
    response.end('data: [DONE]\n\n');
  };
}

export interface ToolUse {
  readonly id?: string;
  readonly name: string;
  /** The arguments as JSON. */
  readonly args: string;
}

/** Answers with the whole message, not as a stream. */
export function whole(
  message: { content?: string; refusal?: string; tool_calls?: readonly object[] },
  finishReason = 'stop',
): Script {
  return answer(
    200,
    completion({ message: { role: 'assistant', content: null, ...message }, finish_reason: finishReason }),
  );
}

export function answer(status: number, body: object | string, headers: Record<string, string> = {}): Script {
  return (response) => {
    const [type, text] = typeof body === 'string' ? ['text/html', body] : ['application/json', JSON.stringify(body)];
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  };
}

export function refusal(status: number, code: string, headers?: Record<string, string>): Script {
  return answer(status, { error: { message: `Refused: ${code}`, type: 'error', code } }, headers);
}

function event(choice: object, also: object = {}): string {
  return `data: ${JSON.stringify({ ...completion(choice), ...also })}\n\n`;
}

function completion(choice: object): object {
  return { id: '1', object: 'chat.completion', created: 0, model: 'm', choices: [{ index: 0, ...choice }] };
}
