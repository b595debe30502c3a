import { describe, expect, test } from 'vitest';
import {
  A2AError,
  type A2AErrorCode,
  a2aErrorCodes,
  errorReasons,
  grpcStatuses,
  httpStatuses,
  jsonRpcCodes,
  toHttpError,
  toJsonRpcError,
} from '../src/index.ts';

/** §5.4, and the reasons of §10.6. */
const canonical: [A2AErrorCode, number, string, number, string][] = [
  ['TaskNotFound', -32001, 'NOT_FOUND', 404, 'TASK_NOT_FOUND'],
  ['TaskNotCancelable', -32002, 'FAILED_PRECONDITION', 400, 'TASK_NOT_CANCELABLE'],
  ['PushNotificationNotSupported', -32003, 'FAILED_PRECONDITION', 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['UnsupportedOperation', -32004, 'FAILED_PRECONDITION', 400, 'UNSUPPORTED_OPERATION'],
  ['ContentTypeNotSupported', -32005, 'INVALID_ARGUMENT', 400, 'CONTENT_TYPE_NOT_SUPPORTED'],
  ['InvalidAgentResponse', -32006, 'INTERNAL', 500, 'INVALID_AGENT_RESPONSE'],
  ['ExtendedAgentCardNotConfigured', -32007, 'FAILED_PRECONDITION', 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
  ['ExtensionSupportRequired', -32008, 'FAILED_PRECONDITION', 400, 'EXTENSION_SUPPORT_REQUIRED'],
  ['VersionNotSupported', -32009, 'FAILED_PRECONDITION', 400, 'VERSION_NOT_SUPPORTED'],
  /** A2A 1.1. */
  ['TaskGenerationMismatch', -32010, 'ABORTED', 409, 'TASK_GENERATION_MISMATCH'],
  /** §9.5 for the codes, §3.3.2 for the statuses. */
  ['ParseError', -32700, 'INVALID_ARGUMENT', 400, 'PARSE_ERROR'],
  ['InvalidRequest', -32600, 'INVALID_ARGUMENT', 400, 'INVALID_REQUEST'],
  ['MethodNotFound', -32601, 'UNIMPLEMENTED', 404, 'METHOD_NOT_FOUND'],
  ['InvalidParams', -32602, 'INVALID_ARGUMENT', 400, 'INVALID_PARAMS'],
  ['Internal', -32603, 'INTERNAL', 500, 'INTERNAL'],
  /** Not in the specification. */
  ['Unauthenticated', -32051, 'UNAUTHENTICATED', 401, 'UNAUTHENTICATED'],
  ['PermissionDenied', -32052, 'PERMISSION_DENIED', 403, 'PERMISSION_DENIED'],
  ['NotFound', -32053, 'NOT_FOUND', 404, 'NOT_FOUND'],
  ['Conflict', -32054, 'ALREADY_EXISTS', 409, 'CONFLICT'],
  ['PayloadTooLarge', -32055, 'RESOURCE_EXHAUSTED', 413, 'PAYLOAD_TOO_LARGE'],
  ['RateLimited', -32056, 'RESOURCE_EXHAUSTED', 429, 'RATE_LIMITED'],
  ['Unavailable', -32057, 'UNAVAILABLE', 503, 'UNAVAILABLE'],
];

test('the table of this test has every error', () => {
  expect(canonical.map(([code]) => code)).toEqual(a2aErrorCodes);
});

test.each(canonical)('%s is %i in JSON-RPC, %s in gRPC, %i in HTTP', (code, jsonRpc, grpc, http, reason) => {
  expect(jsonRpcCodes[code]).toBe(jsonRpc);
  expect(grpcStatuses[code].name).toBe(grpc);
  expect(httpStatuses[code]).toBe(http);
  expect(errorReasons[code]).toBe(reason);
});

test('no two errors share a JSON-RPC code or a reason', () => {
  expect(new Set(Object.values(jsonRpcCodes)).size).toBe(a2aErrorCodes.length);
  expect(new Set(Object.values(errorReasons)).size).toBe(a2aErrorCodes.length);
});

test('the gRPC numbers are those of google.rpc.Code', () => {
  const numbers = new Map(Object.values(grpcStatuses).map(({ name, code }) => [name, code]));
  expect(Object.fromEntries([...numbers].sort(([, a], [, b]) => a - b))).toEqual({
    INVALID_ARGUMENT: 3,
    NOT_FOUND: 5,
    ALREADY_EXISTS: 6,
    PERMISSION_DENIED: 7,
    RESOURCE_EXHAUSTED: 8,
    FAILED_PRECONDITION: 9,
    ABORTED: 10,
    UNIMPLEMENTED: 12,
    INTERNAL: 13,
    UNAVAILABLE: 14,
    UNAUTHENTICATED: 16,
  });
});

const errorInfo = (reason: string, metadata = {}) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'a2a-protocol.org',
  metadata,
});

describe('an error on the wire', () => {
  const missing = new A2AError('TaskNotFound', 'Task not found', { metadata: { taskId: 't' } });
  const invalid = new A2AError('InvalidParams', 'Invalid parameters', {
    violations: [{ field: 'message.parts', description: 'must not be empty' }],
  });
  const badRequest = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'message.parts', description: 'must not be empty' }],
  };

  test('in JSON-RPC has code, message and details (§9.5)', () => {
    expect(toJsonRpcError(missing)).toEqual({
      code: -32001,
      message: 'Task not found',
      data: [errorInfo('TASK_NOT_FOUND', { taskId: 't' })],
    });
    expect(toJsonRpcError(invalid).data).toEqual([errorInfo('INVALID_PARAMS'), badRequest]);
  });

  test('in HTTP has a status and the body of AIP-193 (§11.6)', () => {
    expect(toHttpError(missing)).toEqual({
      status: 404,
      body: {
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: 'Task not found',
          details: [errorInfo('TASK_NOT_FOUND', { taskId: 't' })],
        },
      },
    });
    expect(toHttpError(invalid).body.error.details).toEqual([errorInfo('INVALID_PARAMS'), badRequest]);
  });

  test('has RetryInfo if it says when to retry', () => {
    const { data } = toJsonRpcError(new A2AError('RateLimited', 'Slow down', { retryAfterSeconds: 3 }));
    expect(data[1]).toEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' });
  });
});

describe('an unknown error', () => {
  const password = new Error('connect ECONNREFUSED redis://:secret@10.0.0.7');

  test.each([
    ['an Error', password],
    ['a string', 'secret'],
    ['an object that looks like an A2AError', { code: 'TaskNotFound', message: 'secret', violations: [] }],
    ['undefined', undefined],
  ])('is hidden behind "Internal error": %s', (_, thrown) => {
    for (const wire of [toJsonRpcError(thrown), toHttpError(thrown)]) {
      expect(JSON.stringify(wire)).not.toMatch(/secret|ECONN|stack/);
    }
    expect(toJsonRpcError(thrown)).toEqual({ code: -32603, message: 'Internal error', data: [errorInfo('INTERNAL')] });
    expect(toHttpError(thrown).status).toBe(500);
  });

  test('is kept as the cause, for the log', () => {
    expect(A2AError.from(password)).toMatchObject({ code: 'Internal', cause: password });
  });

  test('that is the cause of an A2AError is not sent', () => {
    const known = new A2AError('Unavailable', 'Try again later', { cause: password });
    expect(JSON.stringify([toJsonRpcError(known), toHttpError(known)])).not.toMatch(/secret|stack/);
    expect(known.cause).toBe(password);
  });
});

test('A2AError.from returns an A2AError unchanged', () => {
  const error = new A2AError('Conflict', 'Taken');
  expect(A2AError.from(error)).toBe(error);
  expect(error).toMatchObject({ name: 'A2AError', violations: [], metadata: {} });
});
