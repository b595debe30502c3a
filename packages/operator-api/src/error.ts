/** The gateway answered a call with an error. */
export class OperatorError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The gateway's error code: `NOT_FOUND`, …; '' if unknown. */
  readonly reason: string;

  constructor(status: number, { reason, message }: { readonly reason: string; readonly message: string }) {
    super(message);
    this.name = 'OperatorError';
    this.status = status;
    this.reason = reason;
  }
}

export async function errorOf(response: Response): Promise<OperatorError> {
  const { status, statusText } = response;
  return errorFrom(await response.json().catch(() => undefined), { status, statusText });
}

/** @param answer a google.rpc.Status in JSON */
export function errorFrom(answer: unknown, { status = 500, statusText = '' } = {}): OperatorError {
  const { error } = Object(answer) as {
    error?: { code?: number; message?: string; details?: readonly { reason?: string }[] };
  };
  const reason = error?.details?.find((detail) => detail.reason)?.reason ?? '';
  return new OperatorError(error?.code ?? status, { reason, message: error?.message ?? statusText });
}
