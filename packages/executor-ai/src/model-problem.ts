import { isBrokenStream, type ModelProblem, meaningOf } from '@switchyard/agent/models';
import { AISDKError } from 'ai';

/** An error that a provider sent in the middle of a stream: the SDK passes it on as it came, whatever it is. */
export class StreamError extends Error {
  override readonly name = 'StreamError';

  constructor(sent: unknown) {
    super(sent instanceof Error ? sent.message : (JSON.stringify(sent) ?? String(sent)), { cause: sent });
  }
}

/** What an error of the SDK, or of a provider's package for it, says. */
export function problemOf(error: unknown): ModelProblem | undefined {
  if (error instanceof StreamError) return problemOf(error.cause) ?? refusalIn(error.cause, error.message);
  if (isBrokenStream(error)) return { kind: 'broken-off' };
  if (!AISDKError.isInstance(error)) return undefined;
  if (incomplete.has(error.name)) return { kind: 'broken-off' };
  if (!('statusCode' in error)) return undefined;
  if (error.statusCode === undefined)
    return isBrokenStream(error.cause) ? { kind: 'broken-off' } : { kind: 'unreachable' };
  // The status of an answer that is not of the form of the provider's API.
  if (error.statusCode === 200) return { kind: 'broken-off' };
  return refusalIn(error, error.message);
}

/** Names of errors for answers that are not whole, or of no form that the provider's package knows. */
const incomplete: ReadonlySet<string> = new Set([
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_NoContentGeneratedError',
  'AI_NoOutputGeneratedError',
  'AI_TypeValidationError',
]);

/** Fields that errors of providers may have. */
interface Sent {
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly data?: unknown;
  readonly error?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

function refusalIn(sent: unknown, message: string): ModelProblem {
  const { statusCode, responseHeaders, data, error, code, type } = fieldsOf(sent);
  const inner = fieldsOf(fieldsOf(data).error ?? error);
  const codes = [meaningOf(message), inner.code, inner.type, code, type].filter((each) => typeof each === 'string');
  const status = [statusCode, inner.code, code].map(Number).find((each) => each >= 400 && each < 600);
  return { kind: 'refused', status, codes, headers: responseHeaders && new Headers(responseHeaders) };
}

function fieldsOf(value: unknown): Sent {
  return typeof value === 'object' && value !== null ? value : {};
}
