import type { A2AError } from './a2a-error.ts';
import type { A2AErrorCode } from './codes.ts';

/** §10.6, §11.6: the error type in UPPER_SNAKE_CASE, without the suffix `Error`. */
export const errorReasons: Readonly<Record<A2AErrorCode, string>> = {
  TaskNotFound: 'TASK_NOT_FOUND',
  TaskNotCancelable: 'TASK_NOT_CANCELABLE',
  PushNotificationNotSupported: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  UnsupportedOperation: 'UNSUPPORTED_OPERATION',
  ContentTypeNotSupported: 'CONTENT_TYPE_NOT_SUPPORTED',
  InvalidAgentResponse: 'INVALID_AGENT_RESPONSE',
  ExtendedAgentCardNotConfigured: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  ExtensionSupportRequired: 'EXTENSION_SUPPORT_REQUIRED',
  VersionNotSupported: 'VERSION_NOT_SUPPORTED',
  TaskGenerationMismatch: 'TASK_GENERATION_MISMATCH',
  ParseError: 'PARSE_ERROR',
  InvalidRequest: 'INVALID_REQUEST',
  MethodNotFound: 'METHOD_NOT_FOUND',
  InvalidParams: 'INVALID_PARAMS',
  Internal: 'INTERNAL',
  Unauthenticated: 'UNAUTHENTICATED',
  PermissionDenied: 'PERMISSION_DENIED',
  NotFound: 'NOT_FOUND',
  Conflict: 'CONFLICT',
  PayloadTooLarge: 'PAYLOAD_TOO_LARGE',
  RateLimited: 'RATE_LIMITED',
  Unavailable: 'UNAVAILABLE',
};

export const errorDomain = 'a2a-protocol.org';

/** A `google.protobuf.Any` in ProtoJSON: an object that names its type. */
export type ErrorDetail =
  | {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo';
      reason: string;
      domain: string;
      metadata: Record<string, string>;
    }
  | { '@type': 'type.googleapis.com/google.rpc.BadRequest'; fieldViolations: { field: string; description: string }[] }
  | { '@type': 'type.googleapis.com/google.rpc.RetryInfo'; retryDelay: string };

/** The details of an error, the same in every binding: ErrorInfo, then BadRequest and RetryInfo where they apply. */
export function errorDetails(error: A2AError): ErrorDetail[] {
  return [errorInfo(error), ...badRequest(error), ...retryInfo(error)];
}

function errorInfo({ code, reason = errorReasons[code], metadata }: A2AError): ErrorDetail {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: errorDomain,
    metadata: { ...metadata },
  };
}

function badRequest({ violations }: A2AError): ErrorDetail[] {
  if (violations.length === 0) return [];
  const fieldViolations = violations.map(({ field, description }) => ({ field, description }));
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
}

/** A `google.protobuf.Duration` is written in seconds with the suffix `s`. */
function retryInfo({ retryAfterSeconds }: A2AError): ErrorDetail[] {
  if (retryAfterSeconds === undefined) return [];
  return [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` }];
}
