import type { Agent, Dispatcher, ProxyAgent, RequestInit } from 'undici';
import { currentProxies } from './current-proxies.ts';
import { isOfProxy, ProxyError, proxyErrorOf } from './proxy-error.ts';
import { proxyFor } from './proxy-settings.ts';
import { limitBody, limitLines } from './response-body.ts';

const MAX_REDIRECTS = 5;
/** More than a model's longest answer has. */
const MAX_BYTES = 64 * 1024 ** 2;

/** Node's own `fetch` gives up after 300 s without a header or a byte. */
const noTimes = { headersTimeout: 0, bodyTimeout: 0 };
let direct: Agent | undefined;
const proxied = new Map<string, Dispatcher>();

/**
 * A `fetch` for addresses that an author or operator configured. It has no limit of time: the caller's signal has. It
 * uses the proxies of this process, and follows redirects only within the origin, because they would take an API key
 * along. A body fails with a `ResponseRefused` when it has more than 64 MiB. @throws {ProxyError}
 */
export const untimedFetch: typeof fetch = async (input, init) => {
  if (input instanceof Request) throw new TypeError('This fetch accepts only a URL.');
  let url = new URL(input);
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetchOnce(url, init);
    const next = response.status === 307 || response.status === 308 ? response.headers.get('location') : null;
    const to = next !== null && URL.canParse(next, url.href) ? new URL(next, url) : undefined;
    if (to?.origin !== url.origin || redirects === MAX_REDIRECTS) return limitResponse(response);
    await response.body?.cancel();
    url = to;
  }
};

function limitResponse(response: Response): Response {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const chunks = limitBody(buffersOf(response.body), MAX_BYTES);
  const isStream = headers.get('content-type')?.startsWith('text/event-stream');
  return new Response(ReadableStream.from(isStream ? limitLines(chunks, MAX_BYTES) : chunks), {
    status,
    statusText,
    headers,
  });
}

async function* buffersOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of body) yield Buffer.from(buffer, byteOffset, byteLength);
}

async function fetchOnce(url: URL, init: globalThis.RequestInit = {}): Promise<Response> {
  const proxy = proxyFor(url, currentProxies());
  const { fetch: send, ...agents } = await import('undici');
  // The types of Node's own `fetch` are those of another version of the same library.
  const request = { ...init, redirect: 'manual', dispatcher: dispatcherOf(proxy, agents) } as RequestInit;
  try {
    const response = (await send(url, request)) as unknown as Response;
    const { status, headers } = response;
    if (!proxy || url.protocol !== 'http:' || !isOfProxy(status, Object.fromEntries(headers))) return response;
    await response.body?.cancel();
    throw ProxyError.ofStatus(status, proxy);
  } catch (error) {
    throw proxy ? proxyErrorOf(error, proxy) : error;
  }
}

interface Agents {
  readonly Agent: new (times: typeof noTimes) => Agent;
  readonly ProxyAgent: new (options: { readonly uri: string } & typeof noTimes) => ProxyAgent;
}

function dispatcherOf(proxy: URL | undefined, { Agent, ProxyAgent }: Agents): Dispatcher {
  if (!proxy) {
    direct ??= new Agent(noTimes);
    return direct;
  }
  const known = proxied.get(proxy.href) ?? new ProxyAgent({ uri: proxy.href, ...noTimes });
  proxied.set(proxy.href, known);
  return known;
}
