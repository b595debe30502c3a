import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const requestSchema = z.object({ model: z.string(), messages: z.array(z.object({ content: z.string() })).min(1) });

/**
 * A model server with OpenAI's chat completions over real HTTP, on a free loopback port, so that the example runs
 * without a key and a network. It has the name, and so the price, of a real model. It does not keep the process alive.
 */
export async function startScriptedModel() {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => send(response, 400, { error: { message: String(error) } }));
  });
  server.on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { baseURL: `http://127.0.0.1:${port}/v1`, model: 'gpt-4o-mini' };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, messages } = requestSchema.parse(await json(request));
  const asked = messages.map(({ content }) => content).join('\n');
  const content = asked.startsWith('Propose')
    ? 'The Alto for 420 USD, because it lasts longest.'
    : 'Alto: 420 USD, steel. Basso: 390 USD, pine. Forte: 880 USD, oak.';
  send(response, 200, {
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: tokensOf(asked), completion_tokens: tokensOf(content) },
  });
}

/** About four characters are a token. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
