import type { A2AErrorCode } from './codes.ts';

/** A wrong field, such as `message.parts[0].text`, and the reason, in plain words. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Details of an error. */
export interface A2AErrorDetails {
  readonly violations?: readonly FieldViolation[];
  /** Goes to the caller in ErrorInfo: never a secret, never another principal's id. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** In ErrorInfo, instead of the reason of all errors of its code: UPPER_SNAKE_CASE. */
  readonly reason?: string;
  /** When to try again, for RateLimited and Unavailable. */
  readonly retryAfterSeconds?: number;
  /** Values of WWW-Authenticate (RFC 9110 11.6.1), for Unauthenticated and PermissionDenied. */
  readonly challenges?: readonly string[];
  /** Only for logs. */
  readonly cause?: unknown;
}

/** Most violations that one error names. */
export const maxViolations = 50;

/** The one error that may reach a caller. Its message is written for that caller. */
export class A2AError extends Error {
  override readonly name = 'A2AError';
  readonly code: A2AErrorCode;
  /** At most `maxViolations`. */
  readonly violations: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly challenges: readonly string[];

  constructor(code: A2AErrorCode, message: string, details: A2AErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.violations = details.violations?.slice(0, maxViolations) ?? [];
    this.metadata = details.metadata ?? {};
    this.reason = details.reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.challenges = details.challenges ?? [];
  }

  /** Returns an A2AError as it is; anything else as Internal with a neutral message, and the original as its cause. */
  static from(error: unknown): A2AError {
    return error instanceof A2AError ? error : new A2AError('Internal', 'Internal error', { cause: error });
  }
}

/** An error for wrong parameters, as `wrongFields`. */
export function invalidParams(violations: readonly FieldViolation[], cause?: unknown): A2AError {
  return wrongFields('InvalidParams', 'Invalid parameters', violations, cause);
}

/**
 * An error for wrong fields. Its message names the first three, as most client libraries show only the message.
 * @param what what is wrong: the message begins with it
 */
export function wrongFields(
  code: A2AErrorCode,
  what: string,
  violations: readonly FieldViolation[],
  cause?: unknown,
): A2AError {
  const named = violations.slice(0, 3).map(({ field, description }) => `${field} ${description}`);
  const more = violations.length - named.length;
  const fields = named.length === 0 ? '' : `: ${named.join('; ')}${more > 0 ? ` (and ${more} more)` : ''}`;
  return new A2AError(code, what + fields, { violations, ...(cause !== undefined && { cause }) });
}
