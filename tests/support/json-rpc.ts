import type { JsonRpcError } from '@switchyard/protocol';

/** The response object; the test chooses the type of its result or error. */
export interface JsonRpcAnswer<Result> {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result: Result;
  readonly error?: JsonRpcError;
}

/** Calls a method of an agent over JSON-RPC (A2A 9), without a version header by default. */
export async function callJsonRpc<Result>(url: string, method: string, params: object): Promise<JsonRpcAnswer<Result>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return JSON.parse(await response.text());
}
