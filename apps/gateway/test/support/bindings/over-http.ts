import { routes } from '../../../src/bindings/rest.ts';
import type { ErrorDetail } from '../client.ts';
import { normalise } from './messages.ts';
import { type Binding, type Invocation, type Outcome, toOutcomeError } from './outcome.ts';

interface Envelope {
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: ErrorDetail[]; readonly details?: ErrorDetail[] };
}

/** Converts the JSON of an answer to the form in which outcomes are compared. */
type Read = (operation: string, json: unknown) => unknown;

/** @param url of an agent */
export function overJsonRpc(url: string, read: Read = normalise): Binding {
  return {
    name: 'JSON-RPC',
    invoke: (invocation) => {
      const { operation: method, params, headers } = invocation;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const request = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
      return fetchOutcome(url, request, { ...invocation, read, resultIn: ({ result }) => result });
    },
  };
}

/** @param url of an agent */
export function overRest(url: string, read: Read = normalise): Binding {
  return {
    name: 'HTTP+JSON',
    invoke: (invocation) => {
      const { path, ...request } = toRequest(invocation);
      return fetchOutcome(url + path, request, { ...invocation, read, resultIn: (body) => body });
    },
  };
}

interface Reading extends Invocation {
  readonly resultIn: (body: Envelope) => unknown;
  readonly read: Read;
}

async function fetchOutcome(url: string, request: RequestInit, reading: Reading): Promise<Outcome> {
  const response = await fetch(url, request);
  const { operation, resultIn, read, mostEvents = Number.POSITIVE_INFINITY } = reading;
  if (response.headers.get('content-type') !== 'text/event-stream') {
    const body: Envelope = JSON.parse(await response.text());
    if (body.error) return { error: toOutcomeError(body.error.message, body.error.data ?? body.error.details) };
    return { result: read(operation, resultIn(body)) };
  }
  const events: unknown[] = [];
  for await (const data of dataOf(response)) {
    events.push(read(operation, resultIn(JSON.parse(data))));
    if (events.length === mostEvents) break;
  }
  return { result: events };
}

async function* dataOf({ body }: Response): AsyncGenerator<string, void> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield* block.match(/(?<=^data: ).+/m) ?? [];
  }
}

function toRequest({ operation, params, headers }: Invocation): RequestInit & { readonly path: string } {
  const route = routes.find((candidate) => candidate.operation === operation);
  if (!route) throw new Error(`${operation} has no route`);
  const rest = { ...params };
  const path = route.path.replaceAll('::', '\n').replaceAll(/:(\w+)(?:\(.*?\))?/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const { inQuery = [] } = route;
  const query = (inQuery === 'all' ? Object.keys(rest) : inQuery).flatMap((name) =>
    rest[name] === undefined ? [] : [`${name}=${encodeURIComponent(String(rest[name]))}`],
  );
  return {
    path: path.replaceAll('\n', ':') + (query.length > 0 ? `?${query.join('&')}` : ''),
    method: route.verb,
    headers: { 'content-type': 'application/json', ...headers },
    ...(route.hasBody && { body: JSON.stringify(rest) }),
  };
}
