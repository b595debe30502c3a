import type { IncomingHttpHeaders } from 'node:http';
import { context, propagation } from '@opentelemetry/api';
import type { Agent, Dispatcher, request } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { currentProxies } from './current-proxies.ts';
import { AddressRefused, ResponseRefused } from './errors.ts';
import type { ConnectionOptions } from './guarded-connections.ts';
import type { ProxiedConnections } from './proxied-connections.ts';
import { isOfProxy, ProxyError, proxyErrorOf } from './proxy-error.ts';
import { proxyFor } from './proxy-settings.ts';
import { limitBody, limitLines } from './response-body.ts';

export interface GuardedClientOptions extends ConnectionOptions {
  readonly policy: Pick<AddressPolicy, 'allows' | 'problemOf'>;
  /**
   * From the request to the end of its response, in milliseconds. A requested event stream may take any time: for it,
   * this is the longest time without data.
   */
  readonly timeoutMs: number;
  /** Largest response body; for an event stream, the longest line. */
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
  /** Read it to its end, or leave the loop: both release the connection. */
  readonly body: AsyncIterable<Buffer>;
}

/**
 * The client for every request to a URL that comes from outside: webhooks, remote agents, their cards, and the keys of
 * token issuers. It connects only where the policy allows, and limits the time, headers and body of a response. It
 * follows no redirects, and refuses compressed responses: a small one could expand beyond the limit. It uses the
 * proxies of this process.
 */
export interface GuardedClient {
  /** @throws {AddressRefused | ProxyError | ResponseRefused | Error} the latter two also while the body is read */
  request(url: string | URL, request: OutgoingRequest): Promise<OutgoingResponse>;
  /** The same for libraries that take a `fetch`. Accepts only URLs, not `Request` objects, and only text bodies. */
  readonly fetch: typeof fetch;
  /** Aborts all open requests. */
  destroy(): Promise<void>;
}

export function guardedClient(options: GuardedClientOptions): GuardedClient {
  let opened: Promise<Ways> | undefined;
  const { policy, timeoutMs, maxBytes } = options;

  async function send(url: string | URL, { signal, ...outgoing }: OutgoingRequest): Promise<OutgoingResponse> {
    const problem = policy.problemOf(String(url));
    if (problem !== undefined) throw new AddressRefused(`the URL ${problem}`, { isOfUrl: true });
    const deadline = new Deadline(timeoutMs, signal);
    const method = outgoing.method ?? 'GET';
    const headers = {
      'user-agent': 'Switchyard',
      ...traceHeaders(),
      ...outgoing.headers,
      'accept-encoding': 'identity',
    };
    try {
      opened ??= openWays(options);
      const { statusCode: status, ...response } = await requestVia(await opened, new URL(url), {
        ...outgoing,
        method,
        headers,
        signal: deadline.signal,
      });
      // Without a listener, an error of a body that nobody reads would end the process. Readers still get the error.
      response.body.on('error', () => undefined);
      if (isCompressed(response.headers)) {
        response.body.destroy();
        throw new ResponseRefused('the response is compressed, although no compression was accepted');
      }
      const isStream = status >= 200 && status < 300 && acceptsEventStream(outgoing) && isEventStream(response.headers);
      if (isStream) deadline.clear();
      const body = isStream ? limitLines(response.body, maxBytes) : limitBody(response.body, maxBytes);
      const release = (): void => {
        deadline.clear();
        response.body.destroy();
      };
      return { status, headers: response.headers, body: releasing(body, release) };
    } catch (error) {
      deadline.clear();
      throw error;
    }
  }

  return {
    request: send,
    fetch: (input, init = {}) => fetchWith(send, input, init),
    async destroy() {
      const ways = await opened;
      await Promise.all([ways?.direct.destroy(), ways?.proxied.destroy()]);
    },
  };
}

interface Ways {
  readonly direct: Agent;
  readonly proxied: ProxiedConnections;
  readonly request: typeof request;
}

/** The first request loads undici, which takes as long as a tenth of a gateway's start. */
async function openWays(options: ConnectionOptions): Promise<Ways> {
  const [{ request }, { guardedConnections }, { ProxiedConnections }] = await Promise.all([
    import('undici'),
    import('./guarded-connections.ts'),
    import('./proxied-connections.ts'),
  ]);
  return { direct: guardedConnections(options), proxied: new ProxiedConnections(options), request };
}

/** One request, directly or through the proxy for its URL. @throws {AddressRefused | ProxyError | Error} */
async function requestVia(
  { request, ...ways }: Ways,
  url: URL,
  options: Omit<Dispatcher.RequestOptions, 'origin' | 'path'>,
) {
  const proxy = proxyFor(url, currentProxies());
  if (!proxy) return request(url, { ...options, dispatcher: ways.direct });
  const dispatcher = await ways.proxied.to(url, proxy);
  const response = await request(url, { ...options, dispatcher }).catch((error: unknown) => {
    throw proxyErrorOf(error, proxy);
  });
  if (url.protocol !== 'http:' || !isOfProxy(response.statusCode, response.headers)) return response;
  response.body.on('error', () => undefined).destroy();
  throw ProxyError.ofStatus(response.statusCode, proxy);
}

/** Headers with which the receiver continues the current trace. */
function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** The time limit of one request, combined with the caller's signal. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    const reason = new DOMException('The response took too long.', 'TimeoutError');
    this.#timer = setTimeout(() => this.#controller.abort(reason), timeoutMs).unref();
    this.signal = signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * The body, which releases its connection when it has ended or its reader leaves. A generator alone would not do so
 * before its first chunk, nor while it waits for one.
 */
function releasing(body: AsyncGenerator<Buffer, void>, release: () => void): AsyncIterable<Buffer> {
  const chunks = (async function* () {
    try {
      yield* body;
    } finally {
      release();
    }
  })();
  const leave = (): Promise<IteratorResult<Buffer, void>> => {
    release();
    return chunks.return();
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: leave }) };
}

function isCompressed(headers: IncomingHttpHeaders): boolean {
  return !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '');
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true;
}

function acceptsEventStream({ headers = {} }: OutgoingRequest): boolean {
  return new Headers(headers).get('accept')?.includes('text/event-stream') === true;
}

/** Statuses whose response has no body (Fetch standard, 2.2.4). */
const BODILESS = new Set([204, 205, 304]);

async function fetchWith(
  send: GuardedClient['request'],
  input: Parameters<typeof fetch>[0],
  { method = 'GET', headers, body, signal }: RequestInit,
): Promise<Response> {
  if (input instanceof Request || (body !== undefined && body !== null && typeof body !== 'string'))
    throw new TypeError('This fetch accepts only a URL, and only text as the body.');
  const { status, ...response } = await send(input, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  });
  const init = { status, headers: headersOf(response.headers) };
  if (!BODILESS.has(status)) return new Response(ReadableStream.from(response.body), init);
  for await (const _ of response.body); // it is empty; reading its end releases the connection
  return new Response(null, init);
}

function headersOf(incoming: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming))
    for (const value of [values].flat()) headers.append(name, value);
  return headers;
}
