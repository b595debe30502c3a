/** The errors that the specification names (§3.3.2), without their suffix `Error`. */
const a2aSpecificCodes = [
  'TaskNotFound',
  'TaskNotCancelable',
  'PushNotificationNotSupported',
  'UnsupportedOperation',
  'ContentTypeNotSupported',
  'InvalidAgentResponse',
  'ExtendedAgentCardNotConfigured',
  'ExtensionSupportRequired',
  'VersionNotSupported',
  /** Added by A2A 1.1: docs/a2a-1-1.md. */
  'TaskGenerationMismatch',
] as const;

/** All other errors: JSON-RPC's own (§9.5), then the categories of §3.3.2. */
const generalCodes = [
  'ParseError',
  'InvalidRequest',
  'MethodNotFound',
  'InvalidParams',
  'Internal',
  'Unauthenticated',
  'PermissionDenied',
  'NotFound',
  'Conflict',
  'PayloadTooLarge',
  'RateLimited',
  'Unavailable',
] as const;

export const a2aErrorCodes = [...a2aSpecificCodes, ...generalCodes] as const;

/** The closed set of errors. Each binding has a table with a row for every one of them. */
export type A2AErrorCode = (typeof a2aErrorCodes)[number];
