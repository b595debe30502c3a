import { randomUUID } from 'node:crypto';
import type { Message, SendMessageConfiguration, StreamResponse, Task } from '@switchyard/protocol';

/** An answer with its parsed body, whose type the test chooses. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface ErrorBody {
  readonly error: {
    readonly code: number;
    readonly status?: string;
    readonly message: string;
    readonly details?: readonly ErrorDetail[];
    readonly data?: readonly ErrorDetail[];
  };
}

export interface ErrorDetail {
  readonly '@type': string;
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[];
}

export interface Sent {
  readonly task: Task;
  readonly message?: Message;
}

export function userMessage(text: string, given: Partial<Message> = {}): Message {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...given };
}

export async function get<Body>(url: string, headers: Record<string, string> = {}): Promise<Answer<Body>> {
  return answer(await fetch(url, { headers }));
}

export async function post<Body>(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return answer(
    await fetch(url, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } }),
  );
}

export function send(
  url: string,
  message: Message,
  configuration: SendMessageConfiguration = {},
): Promise<Answer<Sent>> {
  return post<Sent>(`${url}/message:send`, { message, configuration });
}

/** Sends with returnImmediately. @returns the accepted task */
export async function submit(url: string, message = userMessage('hello')): Promise<Task> {
  const { body } = await send(url, message, { returnImmediately: true });
  return body.task;
}

/** Calls a method over JSON-RPC. @returns the whole response object */
export async function call<Body>(
  url: string,
  method: string,
  params: unknown,
  headers?: Record<string, string>,
): Promise<Answer<Body>> {
  return post<Body>(url, { jsonrpc: '2.0', id: 1, method, params }, headers);
}

async function answer<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export interface SentEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: StreamResponse;
}

export interface EventStream extends AsyncIterable<SentEvent> {
  readonly response: Response;
  /** The next event; throws if the stream has ended. */
  next(): Promise<SentEvent>;
  /** All events up to the end of the stream. */
  rest(): Promise<SentEvent[]>;
  /** Number of comments so far. */
  comments(): number;
  cut(): void;
}

export async function openStream(url: string, init: RequestInit = {}): Promise<EventStream> {
  const cutter = new AbortController();
  const response = await fetch(url, { ...init, signal: cutter.signal });
  let comments = 0;
  const events = read(response, () => comments++);
  return {
    response,
    [Symbol.asyncIterator]: () => events,
    next: async () => {
      const { done, value } = await events.next();
      if (done) throw new Error('the stream has ended');
      return value;
    },
    rest: () => Array.fromAsync(events),
    comments: () => comments,
    cut: () => cutter.abort(),
  };
}

export function openSendStream(
  url: string,
  message: Message,
  configuration: SendMessageConfiguration = {},
): Promise<EventStream> {
  const body = JSON.stringify({ message, configuration });
  return openStream(`${url}/message:stream`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}

async function* read(response: Response, onComment: () => void): AsyncGenerator<SentEvent, void> {
  if (!response.body) throw new Error('no body');
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) onComment();
      else yield parseEvent(block);
    }
  }
}

function parseEvent(block: string): SentEvent {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  return { id: fields.get('id'), event: fields.get('event'), data: JSON.parse(fields.get('data') ?? 'null') };
}
