import { AddressPolicy, guardedClient, retryAfterMs } from '@switchyard/outgoing';
import type { Protocol } from './answers/protocol.ts';
import { answerOf, jsonIn, requestId } from './answers/read-answer.ts';
import { framed, type StreamLimits } from './answers/read-stream.ts';
import { RemoteError } from './answers/remote-error.ts';
import { verdictOnStatus } from './answers/verdict.ts';
import { tokensOf } from './auth/tokens-of.ts';
import { hasSecrets, type RemoteSettings } from './settings.ts';

/** Largest card. */
export const maxCardBytes = 1024 * 1024;
/** Largest other answer, longest line of a stream, and most bytes of a stream without an event. */
export const maxAnswerBytes = 16 * 1024 * 1024;

export interface RemoteFetchOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** `fetch` that sends headers of the settings only to origins that the settings name. */
export function remoteFetch(settings: RemoteSettings, options: RemoteFetchOptions): typeof fetch {
  const named = namedOrigins(settings);
  const client = guardedClient({ ...options, policy: policyOf(settings) });
  return async (input, init) => {
    const { origin } = new URL(addressOf(input));
    if (hasSecrets(settings) && !named.includes(origin)) throw untrustedOrigin(origin);
    const response = await client.fetch(input, init);
    const headers = response.status === 401 ? await withNewToken(settings, init?.headers) : undefined;
    if (!headers) return response;
    await response.body?.cancel();
    return client.fetch(input, { ...init, headers });
  };
}

/** The headers with another token than the one that the agent has refused. Undefined: there is no other. */
async function withNewToken(settings: RemoteSettings, given: RequestInit['headers']): Promise<Headers | undefined> {
  const headers = new Headers(given);
  const [, refused] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
  const token = refused && (await tokensOf(settings)?.replacementOf(refused));
  if (!token) return undefined;
  headers.set('authorization', `Bearer ${token}`);
  return headers;
}

/**
 * `fetch` for the SDK's client, which takes answers to be tidier than they are, and of most errors keeps only the text.
 * This one judges statuses, and passes on answers and streams in the form that the client expects.
 */
export function answeringFetch(send: typeof fetch, protocol: Protocol, limits: StreamLimits): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    let parsedId: { readonly id: unknown } | undefined;
    const id = (): unknown => {
      parsedId ??= { id: requestId(init?.body) };
      return parsedId.id;
    };
    if (response.ok && response.body && isEventStream(response))
      return streamOf(framed(response.body, protocol, { limits, id }));
    const text = await response.text();
    if (!response.ok) return refusalOf(response, text, { protocol, url: addressOf(input) });
    if (response.status === 204) return response;
    const value = answerOf(jsonIn(text), protocol, id);
    // An agent that does not stream may answer a request for a stream with its whole result.
    if (wantsStream(init)) return streamOf([new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`)]);
    return parsed(value, response);
  };
}

export function untrustedOrigin(origin: string): RemoteError {
  return new RemoteError('untrusted-origin', `its card names ${origin}, which is not one of the trustedOrigins`);
}

function streamOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Response {
  return new Response(ReadableStream.from(chunks), { headers: { 'Content-Type': 'text/event-stream' } });
}

/** A response whose JSON need not be parsed again. */
function parsed(value: unknown, { status, headers }: Response): Response {
  const methods = { json: async () => value, text: async () => JSON.stringify(value) };
  return Object.assign(new Response(null, { status, headers }), methods);
}

function addressOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

interface Asked {
  readonly protocol: Protocol;
  readonly url: string;
}

/** The response, if it has an error of A2A, which the client reads. @throws {RemoteError} it has none */
function refusalOf(response: Response, text: string, { protocol, url }: Asked): Response {
  const value = errorIn(text, protocol);
  // What is busy or away says so with its status, whatever error it puts into its answer.
  if (value !== undefined && verdictOnStatus(response.status).verdict !== 'unreachable') {
    const refused = refusedCaller(response, value);
    if (refused) throw refused;
    return parsed(value, response);
  }
  throw refusal(response, text, url);
}

/** Not every error of the SDK has the status, by which operators are told of credentials. */
function refusedCaller({ status }: Response, value: unknown): RemoteError | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const { message } = Object(Object(value).error ?? value);
  return typeof message === 'string' ? new RemoteError('refused', message, { status }) : undefined;
}

/**
 * The error of an answer whose status is not 2xx, and which has no error of A2A.
 * @param url that was called
 */
export function refusal({ status, headers }: Response, text: string, url: string): RemoteError {
  const { verdict, mayHaveArrived, ...about } = verdictOnStatus(status);
  return new RemoteError(verdict, `it ${about.text}${placeOf(status, url, headers)}`, {
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    mayHaveArrived,
    status,
    cause: text ? new Error(text.slice(0, 300)) : undefined,
  });
}

/** The body with an error of A2A: JSON-RPC's, google.rpc.Status, or that of 0.3. */
function errorIn(text: string, { binding }: Protocol): unknown {
  try {
    const value = Object(jsonIn(text));
    const error = Object(value.error);
    if (binding === 'JSONRPC') return typeof error.code === 'number' ? { jsonrpc: '2.0', ...value } : undefined;
    const isStatus = typeof error.message === 'string' || Array.isArray(error.details);
    return isStatus || (typeof value.code === 'number' && typeof value.message === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Longest path in a message. */
const maxPathLength = 150;

/**
 * Where it redirects to, or has nothing. Neither query nor credentials of an address: they may be secrets. The log leaves
 * the paths of addresses in a text out, so the path stands alone.
 */
function placeOf(status: number, url: string, headers: Headers): string {
  if (status === 404 || status === 405) return `: the path ${pathOf(new URL(url))}`;
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === null || !URL.canParse(location, url)) return '';
  const [from, to] = [new URL(url), new URL(location, url)];
  return `: from the path ${pathOf(from)} to ${to.origin === from.origin ? '' : `${to.origin} with `}the path ${pathOf(to)}`;
}

function pathOf({ pathname }: URL): string {
  return pathname.length > maxPathLength ? `${pathname.slice(0, maxPathLength)}…` : pathname;
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
}

function wantsStream(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get('accept') === 'text/event-stream';
}

/** Origins that the settings name may be called even at private addresses, unless the settings have a policy. */
export function policyOf(settings: RemoteSettings): AddressPolicy {
  const { policy, trustedOrigins = [] } = settings;
  return new AddressPolicy(
    policy
      ? { ...policy, trustedOrigins }
      : { allowHttp: false, allowHosts: [], trustedOrigins: namedOrigins(settings) },
  );
}

/** The origins that get the headers: those of the card, and `trustedOrigins`. */
export function namedOrigins({ card, cardUrl, trustedOrigins = [] }: RemoteSettings): readonly string[] {
  const urls = cardUrl === undefined ? (card?.supportedInterfaces.map(({ url }) => url) ?? []) : [cardUrl];
  return [...urls, ...trustedOrigins].filter((url) => URL.canParse(url)).map((url) => new URL(url).origin);
}
