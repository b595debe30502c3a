import { z } from 'zod';
import type { Outgoing } from '../exchange.ts';
import { andThen, failed, type Outcome, succeeded } from '../outcome.ts';
import { type Binding, type BindingSettings, sendMessageRequest } from './binding.ts';
import { isRefused, readJson, refusal } from './refusal.ts';

const envelopeSchema = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string().default('') }) }),
  z.object({ result: z.unknown() }),
]);

/** A2A 9: one URL, the operation in the body. An answer has no ETag, so that an unchanged task is sent again. */
export function jsonRpc({ path, headers, tenant }: BindingSettings): Binding {
  const all = [...headers, 'content-type', 'application/json'];
  const streaming = [...all, 'accept', 'text/event-stream'];
  const call = (method: string, params: object, sent = all): Outgoing => ({
    method: 'POST',
    path: path || '/',
    headers: sent,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: tenant ? { tenant, ...params } : params }),
  });
  return {
    name: 'JSONRPC',
    sendMessage: (message) => call('SendMessage', sendMessageRequest(message)),
    sendStreamingMessage: (message) => call('SendStreamingMessage', sendMessageRequest(message), streaming),
    getTask: (id) => call('GetTask', { id }),
    readReply: (reply) => (isRefused(reply) ? refusal(reply) : andThen(readJson(reply.body), readEnvelope)),
    readEvent: (data) => andThen(readJson(data), readEnvelope),
  };
}

function readEnvelope(json: unknown): Outcome<unknown> {
  const { success, data } = envelopeSchema.safeParse(json);
  if (!success) return failed('unreadable answer', JSON.stringify(json));
  if ('result' in data) return succeeded(data.result);
  return failed(`JSON-RPC ${data.error.code}`, data.error.message);
}
