import { randomUUID } from 'node:crypto';
import {
  isInterrupted,
  isTerminal,
  jsonRpcCodes,
  parse,
  type StreamResponse,
  streamResponseSchema,
} from '@switchyard/protocol';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { Transcript } from './transcript.ts';

/** A refusal of the gateway, as JSON-RPC has it. */
const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** The gateway refused the message; the words are its own. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  /** The task is unknown or has ended: it takes no more messages. */
  readonly isFinal: boolean;

  constructor({ code, message }: { code: number; message: string }) {
    super(message);
    this.isFinal = code === jsonRpcCodes.TaskNotFound || code === jsonRpcCodes.UnsupportedOperation;
  }
}

/**
 * The client of a conversation: it keeps contextId and taskId, sends them when it has them, stores them from every
 * response, and forgets both once the task has ended.
 */
export class ChatClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #transcript = new Transcript();
  #contextId: string | undefined;
  #taskId: string | undefined;

  /** @param apiKey of a gateway that wants one */
  constructor(url: string, apiKey?: string) {
    this.#url = url;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'a2a-version': '1.0',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    };
  }

  /** Where the conversation stands; both ids are undefined before the first answer and after the end of a task. */
  get ids(): { contextId: string | undefined; taskId: string | undefined } {
    return { contextId: this.#contextId, taskId: this.#taskId };
  }

  /**
   * Sends a message, and yields the agent's texts as they come.
   * @throws {Error} with the gateway's message when it is refused
   */
  async *say(text: string): AsyncGenerator<string> {
    try {
      for await (const event of this.#send(text)) {
        const words = this.#transcript.add(event);
        const state = this.#keepIds(event);
        if (words) yield words;
        if (state === 'over') return;
      }
    } catch (error) {
      if (error instanceof Refusal && error.isFinal) this.#forget();
      throw error;
    }
  }

  async *#send(text: string): AsyncGenerator<StreamResponse> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendStreamingMessage',
        params: { message: this.#message(text) },
      }),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream || !response.body) throw await refusal(response);
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { data } of events) yield resultIn(data);
  }

  #message(text: string) {
    const ids = {
      ...(this.#contextId && { contextId: this.#contextId }),
      ...(this.#taskId && { taskId: this.#taskId }),
    };
    return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...ids };
  }

  /** @returns whether the agent has answered this message */
  #keepIds({ task, message, statusUpdate, artifactUpdate }: StreamResponse): 'over' | 'open' {
    const of = task ?? message ?? statusUpdate ?? artifactUpdate;
    this.#contextId = of?.contextId ?? this.#contextId;
    this.#taskId = task?.id ?? statusUpdate?.taskId ?? this.#taskId;
    const state = (task ?? statusUpdate)?.status.state;
    if (state && isTerminal(state)) this.#forget();
    return message || (state && (isTerminal(state) || isInterrupted(state))) ? 'over' : 'open';
  }

  #forget(): void {
    this.#contextId = undefined;
    this.#taskId = undefined;
    this.#transcript = new Transcript();
  }
}

function resultIn(data: string): StreamResponse {
  const { result, error } = answerSchema.parse(JSON.parse(data));
  if (error) throw new Refusal(error);
  return parse(streamResponseSchema, result);
}

async function refusal(response: Response): Promise<Error> {
  if (response.status === 401) return new Error('The gateway wants a valid key: set API_KEY.');
  const body: unknown = await response.json().catch(() => undefined);
  const error = answerSchema.safeParse(body).data?.error;
  return error ? new Refusal(error) : new Error(`No A2A agent answers at ${response.url} (HTTP ${response.status}).`);
}
