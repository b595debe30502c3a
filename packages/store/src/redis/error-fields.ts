/** What a log may have of an error. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | number;
  readonly cause?: ErrorFields | string;
}

/** What Redis repeats of a command that it does not know. */
const REPEATED_ARGUMENTS = /with args beginning with:[^\n]*/g;

/**
 * An error as fields of a log line. Only these: ioredis puts the command on its errors, and with it passwords and
 * messages of clients, which must not reach a log.
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
