import { z } from 'zod';
import type { Outgoing, Reply } from './connections.ts';
import { andThen, failed, type Outcome, succeeded } from './outcome.ts';

export interface OutgoingMessage {
  readonly messageId: string;
  readonly text: string;
  readonly returnImmediately: boolean;
}

/** The operations over HTTP: makes requests and reads answers, without I/O. */
export interface Binding {
  sendMessage(message: OutgoingMessage): Outgoing;
  sendStreamingMessage(message: OutgoingMessage): Outgoing;
  /** @param etag of the version that is known already, where the binding has such a thing */
  getTask(id: string, etag: string | undefined): Outgoing;
  /** The result, or the error, in an answer with status 2xx or in an event. */
  read(text: string): Outcome<unknown>;
}

export interface BindingSettings {
  /** Of the endpoint: the path of its URL, without a slash at its end. */
  readonly path: string;
  /** Sent with every request: names and values in turn. */
  readonly headers: readonly string[];
  /** A2A 4.4.6: given back in each request. */
  readonly tenant?: string | undefined;
}

const json = ['content-type', 'application/json'];
const streaming = [...json, 'accept', 'text/event-stream'];

/** A2A 9: one URL, the operation in the body. An answer has no ETag, so that an unchanged task is sent again. */
export function jsonRpc({ path, headers, tenant }: BindingSettings): Binding {
  const call = (method: string, params: object, more = json): Outgoing => ({
    method: 'POST',
    path: path || '/',
    headers: [...headers, ...more],
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: tenant ? { tenant, ...params } : params }),
  });
  return {
    sendMessage: (message) => call('SendMessage', bodyOf(message)),
    sendStreamingMessage: (message) => call('SendStreamingMessage', bodyOf(message), streaming),
    getTask: (id) => call('GetTask', { id }),
    read: (text) => andThen(readJson(text), readEnvelope),
  };
}

/** A2A 11: the operation in the path. */
export function rest({ path, headers, tenant }: BindingSettings): Binding {
  const base = tenant ? `${path}/${encodeURIComponent(tenant)}` : path;
  const post = (where: string, message: OutgoingMessage, more: readonly string[]): Outgoing => ({
    method: 'POST',
    path: base + where,
    headers: [...headers, ...more],
    body: JSON.stringify(bodyOf(message)),
  });
  return {
    sendMessage: (message) => post('/message:send', message, json),
    sendStreamingMessage: (message) => post('/message:stream', message, streaming),
    getTask: (id, etag) => ({
      method: 'GET',
      path: `${base}/tasks/${encodeURIComponent(id)}`,
      headers: etag === undefined ? headers : [...headers, 'if-none-match', etag],
    }),
    read: readJson,
  };
}

/** An answer with another status than 2xx is counted by that status, whatever is in it. */
export function readReply(binding: Binding, { status, headers, body }: Reply): Outcome<unknown> {
  if (status >= 200 && status <= 299) return binding.read(body);
  const { failure } = failed(`HTTP ${status}`, body.trim() || `HTTP ${status} without a body`);
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return { ok: false, failure: Number.isFinite(seconds) ? { ...failure, retryAfterMs: seconds * 1_000 } : failure };
}

/** A2A 4.1.4, and 3.2.2 for its configuration. */
function bodyOf({ messageId, text, returnImmediately }: OutgoingMessage): object {
  return { message: { messageId, role: 'ROLE_USER', parts: [{ text }] }, configuration: { returnImmediately } };
}

function readJson(text: string): Outcome<unknown> {
  try {
    return succeeded(JSON.parse(text));
  } catch {
    return failed('unreadable answer', text || 'an empty body'); // reported like JSON that is not A2A
  }
}

const envelopeSchema = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string().default('') }) }),
  z.object({ result: z.unknown() }),
]);

function readEnvelope(envelope: unknown): Outcome<unknown> {
  const { success, data } = envelopeSchema.safeParse(envelope);
  if (!success) return failed('unreadable answer', JSON.stringify(envelope));
  return 'result' in data ? succeeded(data.result) : failed(`JSON-RPC ${data.error.code}`, data.error.message);
}
