import { A2AError } from './a2a-error.ts';
import type { A2AErrorCode } from './codes.ts';
import { type ErrorDetail, errorDetails } from './error-info.ts';

/**
 * §5.4 and §9.5. The specification has no codes for authentication, limits and the like: these have our own codes from
 * -32050 down, within JSON-RPC's range for servers.
 */
export const jsonRpcCodes: Readonly<Record<A2AErrorCode, number>> = {
  TaskNotFound: -32001,
  TaskNotCancelable: -32002,
  PushNotificationNotSupported: -32003,
  UnsupportedOperation: -32004,
  ContentTypeNotSupported: -32005,
  InvalidAgentResponse: -32006,
  ExtendedAgentCardNotConfigured: -32007,
  ExtensionSupportRequired: -32008,
  VersionNotSupported: -32009,
  TaskGenerationMismatch: -32010,
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  Internal: -32603,
  Unauthenticated: -32051,
  PermissionDenied: -32052,
  NotFound: -32053,
  Conflict: -32054,
  PayloadTooLarge: -32055,
  RateLimited: -32056,
  Unavailable: -32057,
};

export interface JsonRpcError {
  code: number;
  message: string;
  data: ErrorDetail[];
}

/**
 * The `error` member of a JSON-RPC response. Takes anything thrown; an error that is not an A2AError is not described.
 */
export function toJsonRpcError(thrown: unknown): JsonRpcError {
  const error = A2AError.from(thrown);
  return { code: jsonRpcCodes[error.code], message: error.message, data: errorDetails(error) };
}
