/** The gateway answered a call with an error. */
export class OperatorError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The gateway's error code: `NOT_FOUND`, …; '' if unknown. */
  readonly reason: string;
  /** What the error is about, such as `{ agent: 'pizza' }`. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(status: number, { reason, message, metadata = {} }: ErrorDetails) {
    super(message);
    this.name = 'OperatorError';
    this.status = status;
    this.reason = reason;
    this.metadata = metadata;
  }
}

interface ErrorDetails {
  readonly reason: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
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
      details?: readonly { reason?: string; metadata?: Readonly<Record<string, string>> }[];
    };
  };
  const { reason = '', metadata = {} } = error?.details?.find((detail) => detail.reason) ?? {};
  return new OperatorError(error?.code ?? status, { reason, metadata, message: error?.message ?? statusText });
}
