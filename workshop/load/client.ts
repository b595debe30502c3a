import { taskStateSchema } from '@switchyard/protocol/schemas';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { type Connections, Failure, isEventStream, type Outgoing, type Reply } from './connections.ts';
import type { FoundAgent } from './target.ts';

/** The part of a task that a load test reads: validating whole tasks would cost more than serving them. */
const taskViewSchema = z.object({ id: z.string(), status: z.object({ state: taskStateSchema }) });
export type TaskView = z.output<typeof taskViewSchema>;

/** A2A 3.2.3: a task, or a message without a task. */
const sendResultSchema = z.union([z.object({ task: taskViewSchema }), z.object({ message: z.object({}) })]);
export type SendResult = z.output<typeof sendResultSchema>;

/** A2A 3.2.4. */
const streamEventSchema = z.union([
  z.object({ statusUpdate: z.object({ taskId: z.string(), status: taskViewSchema.shape.status }) }),
  z.object({
    artifactUpdate: z.object({ artifact: z.object({ parts: z.array(z.object({ text: z.string().optional() })) }) }),
  }),
  ...sendResultSchema.options,
]);
export type StreamEvent = z.output<typeof streamEventSchema>;

const envelopeSchema = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string().default('') }) }),
  z.object({ result: z.unknown() }),
]);

type Endpoint = Pick<FoundAgent, 'endpoint' | 'tenant' | 'headers' | 'binding'>;
type Operation = 'SendMessage' | 'SendStreamingMessage' | 'GetTask';

/** What the requests of both bindings have in common. */
function partsOf({ endpoint, headers }: Endpoint, operation: Operation) {
  const accept = operation === 'SendStreamingMessage' ? ['accept', 'text/event-stream'] : [];
  const path = endpoint.pathname.replace(/\/+$/, '');
  return { path, headers: [...headers, 'content-type', 'application/json', ...accept] };
}

/** A2A 9: one URL, with the operation in the body. An answer has no ETag, so an unchanged task is sent again. */
function jsonRpcRequest(to: Endpoint, method: Operation, params: object): Outgoing {
  const { path, headers } = partsOf(to, method);
  // A2A 4.4.6: the tenant of the card is sent with each request.
  const all = { ...(to.tenant && { tenant: to.tenant }), ...params };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: all });
  return { method: 'POST', path: path || '/', headers, body };
}

/** A2A 11: the operation is in the path. */
function restRequest(to: Endpoint, operation: Exclude<Operation, 'GetTask'>, params: object): Outgoing {
  const { path, headers } = partsOf(to, operation);
  const verb = operation === 'SendMessage' ? 'send' : 'stream';
  return { method: 'POST', path: `${path}${tenantPath(to)}/message:${verb}`, headers, body: JSON.stringify(params) };
}

function restGetTask(to: Endpoint, id: string, etag: string | undefined): Outgoing {
  const headers = etag === undefined ? to.headers : [...to.headers, 'if-none-match', etag];
  const path = `${partsOf(to, 'GetTask').path}${tenantPath(to)}/tasks/${encodeURIComponent(id)}`;
  return { method: 'GET', path, headers };
}

const tenantPath = ({ tenant }: Endpoint): string => (tenant ? `/${encodeURIComponent(tenant)}` : '');

export interface ClientSettings {
  readonly connections: Connections;
  readonly agent: FoundAgent;
  /** Milliseconds since the request was due. */
  readonly timeoutMs: number;
  /** Prefix of message ids: with that of another run, messages would be treated as its retries. */
  readonly runId: string;
}

export interface TaskReading {
  /** Undefined if the known version is unchanged. */
  readonly task: TaskView | undefined;
  readonly etag: string | undefined;
}

export interface StreamOptions {
  readonly dueAt: number;
  /** What the timeout applies to: the whole stream, or its first event. */
  readonly timeoutFor: 'end' | 'beginning';
  /** @param id as the server sends it; undefined if it sends none */
  readonly onEvent: (event: StreamEvent, id: string | undefined) => void;
}

export interface OpenStream {
  /** Resolves when the server has ended the stream; rejects with a `Failure`. */
  readonly ended: Promise<void>;
  /** Ends it from this side: the failure is `left`. */
  leave(): void;
}

/**
 * A client of one agent without retries and redirects. `dueAt` is when a request should have been sent, by
 * `performance.now()`. Every method rejects with a `Failure`.
 */
export class A2AClient {
  readonly #settings: ClientSettings;
  #messages = 0;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  async send(text: string, returnImmediately: boolean, dueAt: number): Promise<SendResult> {
    const reply = await this.#ask(this.#message('SendMessage', text, returnImmediately), dueAt);
    return checked(sendResultSchema, this.#read(reply));
  }

  /** @param etag of the known version */
  async getTask(id: string, etag: string | undefined, dueAt: number): Promise<TaskReading> {
    const { agent } = this.#settings;
    const isRest = agent.binding === 'HTTP+JSON';
    const request = isRest ? restGetTask(agent, id, etag) : jsonRpcRequest(agent, 'GetTask', { id });
    const reply = await this.#ask(request, dueAt);
    if (reply.status === 304 && etag !== undefined) return { task: undefined, etag };
    return { task: checked(taskViewSchema, this.#read(reply)), etag: reply.headers.etag };
  }

  stream(text: string, { dueAt, timeoutFor, onEvent }: StreamOptions): OpenStream {
    let problem: unknown;
    const decoder = new TextDecoder();
    const read = (name: string | undefined, data: string): StreamEvent => {
      // A server ends a stream with an event called `error` when it cannot continue.
      if (name === 'error') throw new Failure('stream broke off', data);
      return checked(streamEventSchema, this.#result(data));
    };
    const parser = createParser({
      onEvent({ event: name, data, id }) {
        try {
          onEvent(read(name, data), id);
        } catch (error) {
          problem ??= error;
        }
      },
    });
    const request = this.#message('SendStreamingMessage', text, false);
    const { connections, timeoutMs } = this.#settings;
    const exchange = connections.begin(request, dueAt + timeoutMs, (piece) => {
      if (timeoutFor === 'beginning') exchange.keepOpen();
      parser.feed(decoder.decode(piece, { stream: true }));
    });
    const ended = exchange.reply.then((reply) => {
      if (problem !== undefined) throw problem;
      if (reply.status === 200 && isEventStream(reply.headers)) return;
      this.#read(reply);
      throw new Failure('no stream but a plain answer', reply.body);
    });
    return { ended, leave: () => exchange.abort('left') };
  }

  #ask(request: Outgoing, dueAt: number): Promise<Reply> {
    const { connections, timeoutMs } = this.#settings;
    return connections.begin(request, dueAt + timeoutMs).reply;
  }

  /** An answer with a status other than 2xx is counted by its status, whatever its body. */
  #read({ status, headers, body }: Reply): unknown {
    if (status >= 200 && status <= 299) return this.#result(body);
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined;
    throw new Failure(`HTTP ${status}`, body.trim() || `HTTP ${status} without a body`, retryAfterMs);
  }

  /** The result in a body or an event. @throws {Failure} an error, or an answer that is not A2A */
  #result(text: string): unknown {
    const json = readJson(text);
    if (this.#settings.agent.binding === 'HTTP+JSON') return json;
    const envelope = checked(envelopeSchema, json);
    if ('result' in envelope) return envelope.result;
    throw new Failure(`JSON-RPC ${envelope.error.code}`, envelope.error.message);
  }

  /** A2A 4.1.4, and 3.2.2 for its configuration. */
  #message(operation: 'SendMessage' | 'SendStreamingMessage', text: string, returnImmediately: boolean): Outgoing {
    const { agent, runId } = this.#settings;
    const message = { messageId: `${runId}-${++this.#messages}`, role: 'ROLE_USER', parts: [{ text }] };
    const params = { message, configuration: { returnImmediately } };
    return (agent.binding === 'JSONRPC' ? jsonRpcRequest : restRequest)(agent, operation, params);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('unreadable answer', text || 'an empty body'); // reported like JSON that is not A2A
  }
}

function checked<S extends z.ZodType>(schema: S, result: unknown): z.output<S> {
  const { success, data } = schema.safeParse(result);
  if (success) return data;
  throw new Failure('unreadable answer', JSON.stringify(result));
}
