import { A2AError } from './a2a-error.ts';
import type { A2AErrorCode } from './codes.ts';
import { type ErrorDetail, errorDetails } from './error-info.ts';
import { type GrpcStatusName, grpcStatuses } from './grpc.ts';

/** §5.4 for A2A's own errors; the others by the usual meaning of the status. */
export const httpStatuses: Readonly<Record<A2AErrorCode, number>> = {
  TaskNotFound: 404,
  TaskNotCancelable: 400,
  PushNotificationNotSupported: 400,
  UnsupportedOperation: 400,
  ContentTypeNotSupported: 400,
  InvalidAgentResponse: 500,
  ExtendedAgentCardNotConfigured: 400,
  ExtensionSupportRequired: 400,
  VersionNotSupported: 400,
  TaskGenerationMismatch: 409,
  ParseError: 400,
  InvalidRequest: 400,
  MethodNotFound: 404,
  InvalidParams: 400,
  Internal: 500,
  Unauthenticated: 401,
  PermissionDenied: 403,
  NotFound: 404,
  Conflict: 409,
  PayloadTooLarge: 413,
  RateLimited: 429,
  Unavailable: 503,
};

/** The error body of AIP-193 (§11.6). */
export interface HttpErrorBody {
  error: { code: number; status: GrpcStatusName; message: string; details: ErrorDetail[] };
}

/** Status and body of an HTTP+JSON error. Takes anything thrown; an error that is not an A2AError is not described. */
export function toHttpError(thrown: unknown): { status: number; body: HttpErrorBody } {
  const error = A2AError.from(thrown);
  const code = httpStatuses[error.code];
  const { name: status } = grpcStatuses[error.code];
  return { status: code, body: { error: { code, status, message: error.message, details: errorDetails(error) } } };
}
