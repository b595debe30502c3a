import type { Outgoing } from '../exchange.ts';
import { type Binding, type BindingSettings, sendMessageRequest } from './binding.ts';
import { isRefused, readJson, refusal } from './refusal.ts';

/** A2A 11: the operation in the path. */
export function rest({ path, headers, tenant }: BindingSettings): Binding {
  const base = tenant ? `${path}/${encodeURIComponent(tenant)}` : path;
  const all = [...headers, 'content-type', 'application/json'];
  const streaming = [...all, 'accept', 'text/event-stream'];
  const post = (where: string, params: object, sent = all): Outgoing => ({
    method: 'POST',
    path: base + where,
    headers: sent,
    body: JSON.stringify(params),
  });
  return {
    name: 'HTTP+JSON',
    sendMessage: (message) => post('/message:send', sendMessageRequest(message)),
    sendStreamingMessage: (message) => post('/message:stream', sendMessageRequest(message), streaming),
    getTask: (id, etag) => ({
      method: 'GET',
      path: `${base}/tasks/${encodeURIComponent(id)}`,
      headers: etag === undefined ? headers : [...headers, 'if-none-match', etag],
    }),
    readReply: (reply) => (isRefused(reply) ? refusal(reply) : readJson(reply.body)),
    readEvent: readJson,
  };
}
