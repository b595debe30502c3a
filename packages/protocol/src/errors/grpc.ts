import type { A2AErrorCode } from './codes.ts';

/** The statuses of google.rpc.Code in use, with their numbers. */
const status = {
  INVALID_ARGUMENT: { code: 3, name: 'INVALID_ARGUMENT' },
  NOT_FOUND: { code: 5, name: 'NOT_FOUND' },
  ALREADY_EXISTS: { code: 6, name: 'ALREADY_EXISTS' },
  PERMISSION_DENIED: { code: 7, name: 'PERMISSION_DENIED' },
  RESOURCE_EXHAUSTED: { code: 8, name: 'RESOURCE_EXHAUSTED' },
  FAILED_PRECONDITION: { code: 9, name: 'FAILED_PRECONDITION' },
  ABORTED: { code: 10, name: 'ABORTED' },
  UNIMPLEMENTED: { code: 12, name: 'UNIMPLEMENTED' },
  INTERNAL: { code: 13, name: 'INTERNAL' },
  UNAVAILABLE: { code: 14, name: 'UNAVAILABLE' },
  UNAUTHENTICATED: { code: 16, name: 'UNAUTHENTICATED' },
} as const;

export type GrpcStatus = (typeof status)[keyof typeof status];
export type GrpcStatusName = GrpcStatus['name'];

/** §5.4 for A2A's own errors. The names are also the `status` of an HTTP error body. */
export const grpcStatuses: Readonly<Record<A2AErrorCode, GrpcStatus>> = {
  TaskNotFound: status.NOT_FOUND,
  TaskNotCancelable: status.FAILED_PRECONDITION,
  PushNotificationNotSupported: status.FAILED_PRECONDITION,
  UnsupportedOperation: status.FAILED_PRECONDITION,
  ContentTypeNotSupported: status.INVALID_ARGUMENT,
  InvalidAgentResponse: status.INTERNAL,
  ExtendedAgentCardNotConfigured: status.FAILED_PRECONDITION,
  ExtensionSupportRequired: status.FAILED_PRECONDITION,
  VersionNotSupported: status.FAILED_PRECONDITION,
  TaskGenerationMismatch: status.ABORTED,
  ParseError: status.INVALID_ARGUMENT,
  InvalidRequest: status.INVALID_ARGUMENT,
  MethodNotFound: status.UNIMPLEMENTED,
  InvalidParams: status.INVALID_ARGUMENT,
  Internal: status.INTERNAL,
  Unauthenticated: status.UNAUTHENTICATED,
  PermissionDenied: status.PERMISSION_DENIED,
  NotFound: status.NOT_FOUND,
  Conflict: status.ALREADY_EXISTS,
  PayloadTooLarge: status.RESOURCE_EXHAUSTED,
  RateLimited: status.RESOURCE_EXHAUSTED,
  Unavailable: status.UNAVAILABLE,
};
