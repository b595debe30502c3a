import { AgentError, RetryableError } from '@switchyard/agent';
import { APIConnectionError, APIError } from 'openai';
import { waitIn } from './rate-headers.ts';

/**
 * Makes an error of the model retryable, or final with a message for the client. Neither the message nor the cause for
 * the log contains the API key.
 * @returns RetryableError or AgentError; an error that did not come from the model unchanged
 */
export function modelError(error: unknown, apiKey = ''): unknown {
  const cause = redact(error, apiKey);
  if (error instanceof APIConnectionError) return new RetryableError('The model cannot be reached.', { cause });
  if (error instanceof APIError) return ofStatus(error, cause);
  if (isBrokenStream(error)) return new RetryableError('The answer of the model broke off.', { cause });
  return error;
}

function ofStatus(error: APIError, cause: Error): Error {
  const { code, headers } = error;
  // An error after status 200, or in the middle of a stream, has a status only as its code (OpenRouter, LiteLLM).
  const status = error.status ?? statusIn(code);
  if (code === 'insufficient_quota') return new AgentError('The quota of the model is used up.', { cause });
  const retryAfterMs = headers && waitIn(headers);
  if (status === 429) return new RetryableError('The model is receiving too many requests.', { retryAfterMs, cause });
  if (status === undefined || status >= 500 || status === 408 || status === 409) {
    return new RetryableError('The model is not available.', { retryAfterMs, cause });
  }
  const text =
    refusals.get(code ?? '') ??
    refusals.get(error.type ?? '') ??
    refusals.get(status) ??
    'The model refused the request.';
  return new AgentError(text, { cause });
}

function statusIn(code: unknown): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}

/** By the server's code or type of the error, or by status. */
const refusals: ReadonlyMap<string | number, string> = new Map<string | number, string>([
  ['context_length_exceeded', 'The conversation is too long for the model.'],
  ['exceed_context_size_error', 'The conversation is too long for the model.'],
  [402, 'The quota of the model is used up.'],
  [413, 'The conversation is too long for the model.'],
  [401, 'The agent is not allowed to use its model.'],
  [403, 'The agent is not allowed to use its model.'],
  [404, 'The model does not exist where the agent looks for it.'],
]);

/**
 * Whether the provider asks for a pause: by status 429, or by another one of a busy server that says how long.
 * @returns undefined: it does not; without `waitMs` it does not say how long
 */
export function pauseAskedFor(error: unknown): { readonly waitMs: number | undefined } | undefined {
  if (!(error instanceof APIError) || error instanceof APIConnectionError) return undefined;
  const { code, headers } = error;
  const status = error.status ?? statusIn(code);
  const waitMs = headers && waitIn(headers);
  if (status === 429) return code === 'insufficient_quota' ? undefined : { waitMs };
  return (status === 503 || status === 529) && waitMs !== undefined ? { waitMs } : undefined;
}

/** The connection ended within an answer, or the data was not a server-sent event of the expected form. */
function isBrokenStream(error: unknown): boolean {
  return (
    error instanceof SyntaxError ||
    (error instanceof TypeError && ['terminated', 'fetch failed'].includes(error.message))
  );
}

/** For the log: a provider's answer may quote the API key, and its headers and body are not needed. */
function redact(error: unknown, apiKey: string): Error {
  const requestId = error instanceof APIError && error.requestID ? ` (request ${error.requestID})` : '';
  const text = messages(error).join(': ') + requestId;
  return new Error(apiKey ? text.replaceAll(apiKey, '***') : text);
}

function messages(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messages(error.cause)] : [];
}
