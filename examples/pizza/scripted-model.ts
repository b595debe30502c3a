import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { takeOrder } from './waiter.ts';

const requestSchema = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  stream: z.boolean().optional(),
  response_format: z.object({ type: z.string() }).optional(),
});
type ChatRequest = z.infer<typeof requestSchema>;

export interface ScriptedModel {
  readonly baseURL: string;
  readonly model: string;
  /** Stops the server and every open answer. */
  close(): Promise<void>;
}

/**
 * A model server with OpenAI's chat completions over real HTTP, on a free loopback port, so that the example runs
 * without a key and a network. It does not keep the process alive.
 */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  server.on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    model: 'scripted',
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.writeHead(404).end();
    return;
  }
  const chat = requestSchema.parse(await json(request));
  if (chat.stream) return stream(chat, response);
  const content = contentOf(chat);
  const message = { role: 'assistant', content, refusal: null };
  const usage = usageOf(chat, content);
  sendJson(response, 200, { ...completion(chat, 'chat.completion', { message, finish_reason: 'stop' }), usage });
}

/** Word by word. */
function stream(chat: ChatRequest, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const content = contentOf(chat);
  const send = (delta: object, finish_reason: string | null, also: object = {}) => {
    const chunk = completion(chat, 'chat.completion.chunk', { delta, finish_reason });
    response.write(`data: ${JSON.stringify({ ...chunk, ...also })}\n\n`);
  };
  for (const word of content.split(/(?<= )/)) send({ content: word }, null);
  send({}, 'stop', { usage: usageOf(chat, content) });
  response.end('data: [DONE]\n\n');
}

function contentOf({ messages, response_format }: ChatRequest): string {
  const order = takeOrder(messages);
  if (response_format?.type === 'json_schema') return JSON.stringify(order);
  return order.question || `${order.pizza} it is.`;
}

function completion({ model }: ChatRequest, object: string, choice: object) {
  return { id: 'chatcmpl-scripted', object, created: 0, model, choices: [{ index: 0, ...choice }] };
}

/** About four characters are a token. */
function usageOf({ messages }: ChatRequest, answer: string) {
  const tokensOf = (text: string): number => Math.ceil(text.length / 4);
  const prompt_tokens = messages.reduce((sum, { content }) => sum + tokensOf(content), 0);
  return { prompt_tokens, completion_tokens: tokensOf(answer) };
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, 400, { error: { message: String(error), type: 'invalid_request_error' } });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
