/** The gateway answered a call with an error. */
export class OperatorError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The gateway's error code: `NOT_FOUND`, …; '' if unknown. */
  readonly reason: string;
  /** What the error is about, such as `{ agent: 'pizza' }`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The fields of the request that are wrong, and why. */
  readonly violations: readonly FieldViolation[];

  constructor(status: number, { reason, message, metadata = {}, violations = [] }: ErrorDetails) {
    super(message);
    this.name = 'OperatorError';
    this.status = status;
    this.reason = reason;
    this.metadata = metadata;
    this.violations = violations;
  }
}

interface ErrorDetails {
  readonly reason: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly FieldViolation[];
}

/** `{ field: 'message.parts[0].data.size', description: 'is required' }` */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export async function errorOf(response: Response): Promise<OperatorError> {
  const { status, statusText } = response;
  return errorFrom(await response.json().catch(() => undefined), { status, statusText });
}

/** @param answer a google.rpc.Status in JSON */
export function errorFrom(answer: unknown, { status = 500, statusText = '' } = {}): OperatorError {
  const { error } = Object(answer) as {
    error?: {
      code?: number;
      message?: string;
      details?: readonly {
        reason?: string;
        metadata?: Readonly<Record<string, string>>;
        fieldViolations?: readonly FieldViolation[];
      }[];
    };
  };
  const { reason = '', metadata = {} } = error?.details?.find((detail) => detail.reason) ?? {};
  const violations = error?.details?.flatMap(({ fieldViolations = [] }) => fieldViolations) ?? [];
  return new OperatorError(error?.code ?? status, {
    reason,
    metadata,
    violations,
    message: error?.message ?? statusText,
  });
}
