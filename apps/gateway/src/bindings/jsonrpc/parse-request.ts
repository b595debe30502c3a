import { A2AError, type FieldViolation } from '@switchyard/protocol';
import { type OperationName, operationNames } from '../../operations/operations.ts';

/** A JSON-RPC 2.0 request (A2A 9.3), with what is wrong about it if anything is. */
export type JsonRpcRequest = {
  /** As JSON text, to be given back as it came; `null` where there is none, or none that could be made out. */
  readonly id: string;
  /** Came without an id: whoever sent it wants no answer, not even to an error. */
  readonly isNotification: boolean;
} & (JsonRpcInvocation | { readonly error: A2AError });

export interface JsonRpcInvocation {
  readonly method: OperationName;
  readonly params: object;
  readonly error?: never;
}

export function parseRequest(body: unknown): JsonRpcRequest {
  if (Array.isArray(body))
    return invalid('null', [{ field: 'body', description: 'must be a single request: batches are not served' }]);
  if (typeof body !== 'object' || body === null)
    return invalid('null', [{ field: 'body', description: 'must be a JSON-RPC request' }]);
  const { jsonrpc, id, method, params }: Envelope = body;
  const idText = isId(id) ? JSON.stringify(id) : 'null';
  const violations = violationsOf({ jsonrpc, id, method });
  if (violations.length > 0) return invalid(idText, violations);
  return { id: idText, isNotification: id === undefined, ...invocation(method, params) };
}

interface Envelope {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

function violationsOf({ jsonrpc, id, method }: Envelope): FieldViolation[] {
  return [
    ...(jsonrpc === '2.0' ? [] : [{ field: 'jsonrpc', description: 'must be "2.0"' }]),
    ...(id === undefined || isId(id) ? [] : [{ field: 'id', description: 'must be a string, a number or null' }]),
    ...(typeof method === 'string' ? [] : [{ field: 'method', description: 'must be a string' }]),
  ];
}

function invalid(id: string, violations: readonly FieldViolation[]): JsonRpcRequest {
  return {
    id,
    isNotification: false,
    error: new A2AError('InvalidRequest', 'Request payload validation error', { violations }),
  };
}

function invocation(method: unknown, params: unknown): JsonRpcInvocation | { readonly error: A2AError } {
  if (!isOperation(method)) return { error: methodNotFound() };
  return isParams(params) ? { method, params: params ?? {} } : { error: invalidParams() };
}

function isId(id: unknown): id is string | number | null {
  return id === null || typeof id === 'string' || typeof id === 'number';
}

const methods: ReadonlySet<unknown> = new Set(operationNames);

function isOperation(method: unknown): method is OperationName {
  return methods.has(method);
}

/** By name only: A2A has no parameters by position. */
function isParams(params: unknown): params is object | null | undefined {
  return params === undefined || (typeof params === 'object' && !Array.isArray(params));
}

function methodNotFound(): A2AError {
  const violations = [{ field: 'method', description: `must be one of ${operationNames.join(', ')}` }];
  return new A2AError('MethodNotFound', 'Method not found', { violations });
}

function invalidParams(): A2AError {
  const violations = [{ field: 'params', description: 'must be an object' }];
  return new A2AError('InvalidParams', 'Invalid parameters: params must be an object', { violations });
}
