import {
  isJsonRpcError,
  isRestError,
  A2AError as SdkError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { AddressRefused, ProxyError, ResponseRefused } from '@switchyard/outgoing';
import { type Verdict, verdictOnCode, verdictOnFailure, verdictOnStatus } from './verdict.ts';

/** A verdict on an answer; or `untrusted-origin`: the card names an origin that must not get the headers. Final. */
export type RemoteErrorKind = Verdict | 'untrusted-origin';

export interface RemoteErrorOptions {
  readonly cause?: unknown;
  /** The agent's Retry-After, in milliseconds from now. */
  readonly retryAfterMs?: number | undefined;
  /** Of the agent's HTTP response. */
  readonly status?: number | undefined;
  /** False: the agent has certainly not received the request. Default: true. */
  readonly mayHaveArrived?: boolean;
}

/** Longest message of an error: it may repeat the agent's answer. */
const maxCharacters = 500;

/** An error of a request to the remote agent. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly kind: RemoteErrorKind;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly mayHaveArrived: boolean;

  constructor(kind: RemoteErrorKind, message: string, options: RemoteErrorOptions = {}) {
    super(message.slice(0, maxCharacters), { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.mayHaveArrived = options.mayHaveArrived ?? true;
  }

  /** Whether the same request may have another answer later. */
  get isTemporary(): boolean {
    return this.kind === 'unreachable' || this.kind === 'broken' || this.kind === 'unclear';
  }

  /** Converts an error of a connection, or of the SDK's client. */
  static from(error: unknown): RemoteError {
    const all = causes(error);
    const known = all.find((each) => each instanceof RemoteError);
    if (known) return known;
    // The client wraps the errors of a stream.
    const answered = all.find((each) => each instanceof SdkError);
    if (answered)
      return new RemoteError(kindOf(answered), answered.message, { cause: error, status: statusOf(answered) });
    const guard = all.find((each) => each instanceof AddressRefused || each instanceof ResponseRefused);
    if (guard) return new RemoteError('refused', guard.message, { cause: error });
    const proxy = all.find((each) => each instanceof ProxyError);
    if (proxy)
      return new RemoteError(proxy.isFinal ? 'refused' : 'unreachable', proxy.message, {
        cause: error,
        mayHaveArrived: proxy.status === 502 || proxy.status === 504,
      });
    return ofConnection(all) ?? notA2A(error);
  }
}

/** The error of a connection; undefined: it is not one. */
function ofConnection(all: readonly Error[]): RemoteError | undefined {
  const [cause] = all;
  if (all.some(({ name }) => name === 'TimeoutError'))
    return new RemoteError('unclear', 'it gave no answer in time', { cause });
  for (const code of all.flatMap((each) => ('code' in each && typeof each.code === 'string' ? [each.code] : []))) {
    const kind = verdictOnFailure(code);
    if (!kind) continue;
    const text = kind === 'refused' ? 'its answer is not HTTP' : 'it gave no answer';
    return new RemoteError(kind, `${text} (${code})`, { cause, mayHaveArrived: kind !== 'unreachable' });
  }
  return undefined;
}

function notA2A(cause: unknown): RemoteError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RemoteError('refused', `its answer is not A2A (${reason})`, { cause });
}

/**
 * The parameter is `unknown`, because the SDK's errors all have the same structure: the compiler would exclude all of
 * them after the first test.
 */
function kindOf(error: unknown): RemoteErrorKind {
  if (error instanceof TaskNotFoundError) return 'lost';
  if (error instanceof UnsupportedOperationError) return 'unsupported';
  if (isJsonRpcError(error)) return verdictOnCode(error.envelopeCode);
  if (isRestError(error)) return verdictOnStatus(error.statusCode).verdict;
  return 'refused';
}

/** As in `kindOf`, `unknown`. */
function statusOf(error: unknown): number | undefined {
  return isRestError(error) ? error.statusCode : undefined;
}

/** The error, and the errors that it wraps. */
function causes(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
