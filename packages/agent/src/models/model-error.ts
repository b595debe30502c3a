import { RefusedError, UnavailableError } from '../port/turn-errors.ts';
import { brokenOff } from './answer.ts';
import { waitIn } from './rate-headers.ts';

/** What an error of a model's SDK says. */
export type ModelProblem =
  /** There is no connection to the server. */
  | { readonly kind: 'unreachable' }
  /** The connection ended within an answer, or what came is not of the expected form. */
  | { readonly kind: 'broken-off' }
  /** The answer has more bytes than any should have. */
  | { readonly kind: 'too-large' }
  /** The server refused the request, or failed. */
  | ({ readonly kind: 'refused' } & Refusal);

interface Refusal {
  /** HTTP status; undefined: the server does not say it, and the request may be sent again. */
  readonly status: number | undefined;
  /** The server's names for the error, such as `context_length_exceeded`. */
  readonly codes?: readonly (string | null | undefined)[];
  readonly headers?: Headers | undefined;
  readonly requestId?: string | null | undefined;
}

/**
 * Makes an error of the model retryable, or final with a message for the client. Neither the message nor the cause for
 * the log contains the API key.
 *
 *     throw modelError(new Error('Busy'), { kind: 'refused', status: 503 });
 *
 * @returns RetryableError or AgentError; an error that did not come from the model unchanged
 */
export function modelError(error: unknown, problem: ModelProblem | undefined, apiKey = ''): unknown {
  if (!problem) return error;
  const cause = redact(error, problem, apiKey);
  if (problem.kind === 'unreachable')
    return new UnavailableError('model-unreachable', 'The model cannot be reached.', { cause });
  if (problem.kind === 'broken-off') return brokenOff(cause);
  if (problem.kind === 'too-large')
    return new RefusedError('model-refused', 'The answer of the model is too large.', { cause });
  return ofRefusal(problem, cause);
}

function ofRefusal({ status, codes = [], headers }: Refusal, cause: Error): Error {
  const named = codes.map((code) => refusals.get(code ?? '')).find((text) => text !== undefined);
  if (codes.includes('insufficient_quota')) return refusal(quotaUsedUp, status, cause);
  const retryAfterMs = headers && waitIn(headers);
  if (status === 429)
    return new UnavailableError('model-busy', 'The model is receiving too many requests.', { retryAfterMs, cause });
  if (status === undefined || status >= 500 || status === 408 || status === 409) {
    return new UnavailableError('model-failed', 'The model is not available.', { retryAfterMs, cause });
  }
  return refusal(named ?? refusals.get(status) ?? 'The model refused the request.', status, cause);
}

function refusal(text: string, status: number | undefined, cause: Error): RefusedError {
  return new RefusedError('model-refused', text, { cause, status, code: codes.get(text) });
}

const quotaUsedUp = 'The quota of the model is used up.';
const tooLong = 'The conversation is too long for the model.';
const notAllowed = 'The agent is not allowed to use its model.';
/** For the advice to operators: servers use other statuses, and other names. */
const codes: ReadonlyMap<string, string> = new Map([
  [quotaUsedUp, 'quota'],
  [tooLong, 'too-long'],
]);

/**
 * The code for what providers say in words only, with status 400 or 429; undefined: none is known.
 *
 *     const code = meaningOf('prompt is too long: 210000 tokens > 200000 maximum');
 */
export function meaningOf(message: string): string | undefined {
  if (/credit balance is too low/i.test(message)) return 'insufficient_quota';
  return /prompt is too long|exceed context limit/i.test(message) ? 'context_length_exceeded' : undefined;
}

/** By the server's code or type of the error, or by status. */
const refusals: ReadonlyMap<string | number, string> = new Map<string | number, string>([
  ['context_length_exceeded', tooLong],
  ['exceed_context_size_error', tooLong],
  ['insufficient_quota', quotaUsedUp],
  [402, quotaUsedUp],
  [413, tooLong],
  [401, notAllowed],
  [403, notAllowed],
  [404, 'The model does not exist where the agent looks for it.'],
]);

/**
 * Whether the provider asks for a pause: by status 429, or by another one of a busy server that says how long.
 * @returns undefined: it does not; without `waitMs` it does not say how long
 */
export function pauseAskedFor(problem: ModelProblem | undefined): { readonly waitMs: number | undefined } | undefined {
  if (problem?.kind !== 'refused') return undefined;
  const { status, codes = [], headers } = problem;
  const waitMs = headers && waitIn(headers);
  if (status === 429) return codes.includes('insufficient_quota') ? undefined : { waitMs };
  return (status === 503 || status === 529) && waitMs !== undefined ? { waitMs } : undefined;
}

/**
 * Whether a connection ended within an answer, or its data was not JSON: errors of `fetch`, which SDKs pass on.
 *
 *     const broke = isBrokenStream(new TypeError('terminated'));
 */
export function isBrokenStream(error: unknown): boolean {
  return (
    error instanceof SyntaxError ||
    (error instanceof TypeError && ['terminated', 'fetch failed'].includes(error.message))
  );
}

/** For the log: a provider's answer may quote the API key, and its headers and body are not needed. */
function redact(error: unknown, problem: ModelProblem, apiKey: string): Error {
  const requestId = problem.kind === 'refused' && problem.requestId ? ` (request ${problem.requestId})` : '';
  const text = messages(error).join(': ') + requestId;
  return new Error(apiKey ? text.replaceAll(apiKey, '***') : text);
}

function messages(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messages(error.cause)] : [];
}
