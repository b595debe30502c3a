/** Failures of the command (Appendix D of the specification), and their exit codes. */
const exitCodes = {
  A2ACLI_ERR_USAGE: 2,
  A2ACLI_ERR_CARD_NOT_FOUND: 3,
  A2ACLI_ERR_CARD_INVALID: 1,
  A2ACLI_ERR_UNREACHABLE: 3,
  A2ACLI_ERR_CREDENTIALS_MISSING: 4,
  A2ACLI_ERR_AUTH_FAILED: 4,
  A2ACLI_ERR_TIMEOUT: 5,
  A2ACLI_ERR_INTERNAL: 1,
} as const;

export type LocalCode = keyof typeof exitCodes;

/** Names of A2A errors (3.3.2 and 5.4), by the reason that servers send. */
const protocolNames = {
  TASK_NOT_FOUND: 'TaskNotFoundError',
  TASK_NOT_CANCELABLE: 'TaskNotCancelableError',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'PushNotificationNotSupportedError',
  UNSUPPORTED_OPERATION: 'UnsupportedOperationError',
  CONTENT_TYPE_NOT_SUPPORTED: 'ContentTypeNotSupportedError',
  INVALID_AGENT_RESPONSE: 'InvalidAgentResponseError',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'ExtendedAgentCardNotConfiguredError',
  EXTENSION_SUPPORT_REQUIRED: 'ExtensionSupportRequiredError',
  VERSION_NOT_SUPPORTED: 'VersionNotSupportedError',
  INVALID_PARAMS: 'InvalidParamsError',
} as const;

export type ProtocolName =
  | (typeof protocolNames)[keyof typeof protocolNames]
  | 'MethodNotFoundError'
  | 'InvalidRequestError'
  | 'JSONParseError'
  | 'InternalError';

/** @returns undefined for a reason that A2A does not have */
export function protocolNameOf(reason: string): ProtocolName | undefined {
  const names: Readonly<Record<string, ProtocolName>> = protocolNames;
  return names[reason];
}

/** Failures outside A2A. */
export type OwnCode = `SWITCHYARD_ERR_${string}`;

/** A limit or a quota refused the call; nothing was done. */
export const rateLimited = 'SWITCHYARD_ERR_RATE_LIMITED';

export interface FailureDetails {
  /** What to do next. */
  readonly hint?: string | undefined;
  /** The JSON-RPC, HTTP or gRPC code. */
  readonly a2aCode?: number | string | undefined;
  readonly cause?: unknown;
  /** The error is already in the output. */
  readonly isReported?: boolean;
  /** Of the command; unset: that of the code. */
  readonly exitCode?: number;
}

/** The command could not do its work. A failed task is not a failure of the command: it is in the output. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly code: LocalCode | ProtocolName | OwnCode;
  readonly hint: string | undefined;
  readonly a2aCode: number | string | undefined;
  readonly isReported: boolean;
  readonly #exitCode: number | undefined;

  constructor(
    code: LocalCode | ProtocolName | OwnCode,
    message: string,
    { hint, a2aCode, cause, isReported = false, exitCode }: FailureDetails = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
    this.a2aCode = a2aCode;
    this.isReported = isReported;
    this.#exitCode = exitCode;
  }

  get exitCode(): number {
    const codes: Readonly<Record<string, number>> = exitCodes;
    return this.#exitCode ?? codes[this.code] ?? 1;
  }
}
