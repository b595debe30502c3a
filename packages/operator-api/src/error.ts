/** The gateway refused a call, or could not serve it. */
export class OperatorError extends Error {
  /** Of HTTP. */
  readonly status: number;
  /** As the gateway says it: `NOT_FOUND`, … */
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

/** @param answer as google.rpc.Status in JSON */
export function errorFrom(answer: unknown, { status = 500, statusText = '' } = {}): OperatorError {
  const { error } = Object(answer) as {
    error?: { code?: number; message?: string; details?: readonly { reason?: string }[] };
  };
  const reason = error?.details?.find((detail) => detail.reason)?.reason ?? '';
  return new OperatorError(error?.code ?? status, { reason, message: error?.message ?? statusText });
}
