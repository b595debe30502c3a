import {
  isJsonRpcError,
  isRestError,
  A2AError as SdkError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { AddressRefused, ProxyError, ResponseRefused } from '@switchyard/outgoing';
import { A2AError } from '@switchyard/protocol';

/**
 * - `unreachable`: no answer, or a temporary refusal. Try again.
 * - `lost`: the agent does not know the task.
 * - `unsupported`: the agent does not support the operation, or not in this state of the task.
 * - `untrusted-origin`: its card names an origin that must not get the headers of the settings. Final.
 * - `refused`: any other refusal, by the agent or by the policy for outgoing requests, or an answer that is not A2A.
 *   Final.
 */
export type RemoteErrorKind = 'unreachable' | 'lost' | 'unsupported' | 'untrusted-origin' | 'refused';

export interface RemoteErrorOptions {
  readonly cause?: unknown;
  /** The agent's Retry-After, in milliseconds from now. */
  readonly retryAfterMs?: number | undefined;
  /** False: the agent has certainly not received the request. */
  readonly mayHaveArrived?: boolean;
}

/** Longest message of an error: it may repeat the agent's answer. */
const maxCharacters = 500;

/** An error of a request to the remote agent. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly kind: RemoteErrorKind;
  readonly retryAfterMs: number | undefined;
  readonly mayHaveArrived: boolean;

  constructor(kind: RemoteErrorKind, message: string, options: RemoteErrorOptions = {}) {
    super(message.slice(0, maxCharacters), { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.mayHaveArrived = options.mayHaveArrived ?? true;
  }

  /** Converts an error of the SDK's client. */
  static from(error: unknown): RemoteError {
    if (error instanceof RemoteError) return error;
    // The client wraps the errors of a stream.
    if (error instanceof Error && error.cause instanceof SdkError) return RemoteError.from(error.cause);
    if (error instanceof SdkError) return new RemoteError(kindOf(error), error.message, { cause: error });
    if (error instanceof A2AError)
      return new RemoteError('refused', `its answer is not A2A (${error.message})`, { cause: error });
    const guard = causes(error).find((each) => each instanceof AddressRefused || each instanceof ResponseRefused);
    if (guard) return new RemoteError('refused', guard.message, { cause: error });
    const proxy = causes(error).find((each) => each instanceof ProxyError);
    if (proxy)
      return new RemoteError(proxy.isFinal ? 'refused' : 'unreachable', proxy.message, {
        cause: error,
        mayHaveArrived: proxy.status === 502 || proxy.status === 504,
      });
    return new RemoteError('unreachable', 'it gave no answer', {
      cause: error,
      mayHaveArrived: !wasNotConnected(error),
    });
  }
}

/** JSON-RPC's "internal error", also over HTTP: a temporary error of the agent. */
const internalError = -32603;
/** Switchyard's "unavailable": also the last event of a stream that its gateway ends because it shuts down. */
const unavailable = -32057;

/**
 * The parameter is `unknown`, because the SDK's errors all have the same structure: the compiler would exclude all of
 * them after the first test.
 */
function kindOf(error: unknown): RemoteErrorKind {
  if (error instanceof TaskNotFoundError) return 'lost';
  if (error instanceof UnsupportedOperationError) return 'unsupported';
  if (isJsonRpcError(error) && [internalError, unavailable].includes(error.envelopeCode)) return 'unreachable';
  if (isRestError(error) && error.statusCode >= 500) return 'unreachable';
  return 'refused';
}

/** Whether no connection was made, so that the request cannot have arrived. */
function wasNotConnected(error: unknown): boolean {
  return causes(error).some((each) => 'code' in each && connectErrors.has(String(each.code)));
}

const connectErrors: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The error, and the errors that it wraps. */
function causes(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
