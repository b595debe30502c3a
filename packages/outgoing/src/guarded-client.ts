import type { IncomingHttpHeaders } from 'node:http';
import { context, propagation } from '@opentelemetry/api';
import { request } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { AddressRefused, ResponseRefused } from './errors.ts';
import { type ConnectionOptions, guardedConnections } from './guarded-connections.ts';
import { limitBody, limitLines } from './response-body.ts';

export interface GuardedClientOptions extends ConnectionOptions {
  readonly policy: Pick<AddressPolicy, 'allows' | 'problemOf'>;
  /**
   * From the request to the end of its answer, in milliseconds. An event stream that was asked for may take any time:
   * of that it is the longest silence.
   */
  readonly timeoutMs: number;
  /** Longest answer; of an event stream, longest line. */
  readonly maxBytes: number;
}

export interface OutgoingRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface OutgoingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Read it to its end, or leave the loop: either gives the connection back. */
  readonly body: AsyncIterable<Buffer>;
}

/**
 * The client of every request to a place that somebody else has named: webhooks, remote agents, their cards, and the
 * keys of issuers. It calls only what the policy allows, and bounds the time, the head and the body of an answer. It
 * follows no redirect: that is an answer like any other. Nothing is asked for or taken in compressed form, so that what
 * is read is what was sent.
 */
export interface GuardedClient {
  /** @throws {AddressRefused | ResponseRefused | Error} the latter two also while the body is read */
  request(url: string | URL, asked: OutgoingRequest): Promise<OutgoingResponse>;
  /** The same for libraries that take a `fetch`: of a URL and with a body of text. */
  readonly fetch: typeof fetch;
  /** Breaks off what is under way. */
  destroy(): Promise<void>;
}

export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const dispatcher = guardedConnections(options);
  const { policy, timeoutMs, maxBytes } = options;

  async function ask(url: string | URL, { signal, ...asked }: OutgoingRequest): Promise<OutgoingResponse> {
    const problem = policy.problemOf(String(url));
    if (problem !== undefined) throw new AddressRefused(`the URL ${problem}`);
    const deadline = new Deadline(timeoutMs, signal);
    const method = asked.method ?? 'GET';
    const headers = { 'user-agent': 'Switchyard', ...traceHeaders(), ...asked.headers, 'accept-encoding': 'identity' };
    try {
      const { statusCode: status, ...answer } = await request(url, {
        ...asked,
        method,
        headers,
        dispatcher,
        signal: deadline.signal,
      });
      // Without a listener, the end of a body that nobody reads would end the process; readers get the error besides.
      answer.body.on('error', () => undefined);
      if (isCompressed(answer.headers)) {
        answer.body.destroy();
        throw new ResponseRefused('the answer is compressed, which was not asked for');
      }
      const isStream = status >= 200 && status < 300 && wants(asked) && isEventStream(answer.headers);
      if (isStream) deadline.clear();
      const body = isStream ? limitLines(answer.body, maxBytes) : limitBody(answer.body, maxBytes);
      return { status, headers: answer.headers, body: untilRead(body, deadline) };
    } catch (error) {
      deadline.clear();
      throw error;
    }
  }

  return { request: ask, fetch: (input, init = {}) => fetchBy(ask, input, init), destroy: () => dispatcher.destroy() };
}

/** The receiver goes on with the trace of the work that asks it. */
function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Of one request, with the caller's own signal. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    const reason = new DOMException('The answer took too long.', 'TimeoutError');
    this.#timer = setTimeout(() => this.#controller.abort(reason), timeoutMs).unref();
    this.signal = signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

async function* untilRead(body: AsyncIterable<Buffer>, deadline: Deadline): AsyncGenerator<Buffer, void> {
  try {
    yield* body;
  } finally {
    deadline.clear();
  }
}

function isCompressed(headers: IncomingHttpHeaders): boolean {
  return !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '');
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

function wants({ headers = {} }: OutgoingRequest): boolean {
  return new Headers(headers).get('accept')?.includes('text/event-stream') === true;
}

/** Statuses whose answer has no body (fetch, 2.2.4). */
const BODILESS = new Set([204, 205, 304]);

async function fetchBy(
  ask: GuardedClient['request'],
  input: Parameters<typeof fetch>[0],
  { method = 'GET', headers, body, signal }: RequestInit,
): Promise<Response> {
  if (input instanceof Request || (body !== undefined && body !== null && typeof body !== 'string'))
    throw new TypeError('This fetch takes a URL, and a body of text.');
  const { status, ...answer } = await ask(input, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  });
  const init = { status, headers: headersOf(answer.headers) };
  if (!BODILESS.has(status)) return new Response(ReadableStream.from(answer.body), init);
  for await (const _ of answer.body); // there is nothing in it, and its end frees the connection
  return new Response(null, init);
}

function headersOf(given: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(given))
    for (const value of [values].flat()) headers.append(name, value);
  return headers;
}
