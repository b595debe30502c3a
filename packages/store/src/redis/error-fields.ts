/** The fields of an error that may be logged. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | number;
  readonly cause?: ErrorFields | string;
}

/** The arguments that Redis repeats in its error for an unknown command. */
const REPEATED_ARGUMENTS = /with args beginning with:[^\n]*/g;

/**
 * An error as fields of a log line. No others: ioredis puts the command on its errors, with passwords and messages of
 * clients.
 */
export function errorFields(error: unknown): ErrorFields | string {
  if (!(error instanceof Error)) return withoutArguments(String(error));
  const { name, message, stack, cause } = error;
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') && error.code;
  return {
    type: name,
    message: withoutArguments(message),
    stack: stack && withoutArguments(stack),
    ...(code !== false && { code }),
    ...(cause !== undefined && { cause: errorFields(cause) }),
  };
}

const withoutArguments = (text: string): string => text.replace(REPEATED_ARGUMENTS, 'with args left out');
