import { randomUUID } from 'node:crypto';

interface RpcTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string };
}

/** SendMessage over JSON-RPC; any error fails the bench. */
export async function sendMessage(url: string, text: string, message: object = {}): Promise<RpcTask> {
  const params = { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...message } };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
  });
  const { result, error } = (await response.json()) as { result?: { task: RpcTask }; error?: unknown };
  if (!result) throw new Error(`SendMessage failed: ${JSON.stringify(error)}`);
  return result.task;
}

/** Body of a SendMessage request for `http-load`; blocking unless told otherwise. */
export function sendBody(text: string, returnImmediately: boolean): string {
  const message = { messageId: '$ID', role: 'ROLE_USER', parts: [{ text }] };
  const params = { message, configuration: { returnImmediately } };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
}
