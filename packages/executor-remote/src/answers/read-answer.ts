import { withoutNulls } from '@switchyard/protocol';
import { isObject, type JsonObject, mendedV03 } from './mend.ts';
import type { Protocol } from './protocol.ts';
import { RemoteError } from './remote-error.ts';

/** What is not A2A although its status says that all is well: the agent may have done what it was asked. */
function notA2A(problem: string, cause?: unknown): RemoteError {
  return new RemoteError('refused', `its answer is not A2A (${problem}), and it may have done its work`, { cause });
}

/** @param wrong makes the error @throws {RemoteError} the text is not JSON */
export function jsonIn(text: string, wrong: typeof notA2A = notA2A): unknown {
  const plain = text.replace(/^\uFEFF/, '').trim();
  if (plain === '') throw wrong('it is empty');
  if (plain.startsWith('<')) throw wrong('it is a page, not JSON');
  try {
    return JSON.parse(plain);
  } catch (cause) {
    throw wrong('it is not JSON', cause);
  }
}

/**
 * The envelope of a JSON-RPC response as the SDK expects it: with the id of the request, because an answer to an HTTP
 * request needs none; with either a result or an error.
 * @throws {RemoteError} it has neither
 */
export function envelope(value: unknown, id: () => unknown): JsonObject {
  const answer = withoutNulls(value);
  if (!isObject(answer)) throw notA2A('it is not an object');
  const { result, error } = answer;
  const own = { jsonrpc: '2.0', id: typeof answer.id === 'number' ? answer.id : id() };
  if (isObject(error)) return { ...own, error: { code: 0, message: 'it gives no reason', ...error } };
  if (error !== undefined) throw new RemoteError('refused', `it refuses: ${String(error)}`);
  if (result === undefined) throw notA2A('it has neither a result nor an error');
  return { ...own, result };
}

/** What the SDK reads of an answer that is no stream. @throws {RemoteError} */
export function answerOf(value: unknown, { binding, version }: Protocol, id: () => unknown): unknown {
  if (binding === 'HTTP+JSON') return withoutNulls(value);
  const { result, ...answer } = envelope(value, id);
  if (result === undefined) return answer;
  return { ...answer, result: version === '0.3' ? (mendedV03(result) ?? result) : result };
}

/** The id of a JSON-RPC request. */
export function requestId(body: unknown): unknown {
  const request: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isObject(request) ? request.id : undefined;
}
