import { json } from 'node:stream/consumers';
import { type ConversationLine, type Order, takeOrder } from '../../examples/pizza/waiter.ts';
import { openHttpServer } from './http-server.ts';

/** A request for a chat completion. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly ConversationLine[];
  readonly response_format?: { readonly type: string };
}

/** A model server with an OpenAI-compatible endpoint, which takes pizza orders and records its requests. */
export interface RecordingModel extends AsyncDisposable {
  readonly baseURL: string;
  readonly requests: readonly CompletionRequest[];
}

export async function startRecordingModel(): Promise<RecordingModel> {
  const requests: CompletionRequest[] = [];
  const server = await openHttpServer(async (request, response) => {
    const completion: CompletionRequest = JSON.parse(JSON.stringify(await json(request)));
    requests.push(completion);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(completion.model, takeOrder(completion.messages))));
  });
  return { baseURL: `${server.url}/v1`, requests, [Symbol.asyncDispose]: server.close };
}

function answer(model: string, order: Order): object {
  const message = { role: 'assistant', content: JSON.stringify(order), refusal: null };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { id: 'chatcmpl-recorded', object: 'chat.completion', created: 0, model, choices };
}
