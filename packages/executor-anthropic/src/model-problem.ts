import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { isBrokenStream, type ModelProblem } from '@switchyard/agent/models';

/** What an error of Anthropic's SDK says. */
export function problemOf(error: unknown): ModelProblem | undefined {
  if (error instanceof APIConnectionError) return { kind: 'unreachable' };
  if (error instanceof APIError) {
    const { type, errorCode, headers, requestID } = error;
    // An error in the middle of a stream has a type only.
    const status = error.status ?? statuses.get(type ?? '');
    const codes = [meaningOf(error.message, errorCode), type];
    return { kind: 'refused', status, codes, headers, requestId: requestID };
  }
  return isBrokenStream(error) ? { kind: 'broken-off' } : undefined;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** What the API says in words only, with status 400 or 429. */
function meaningOf(message: string, errorCode: string | null | undefined): string | undefined {
  if (/credit balance is too low/i.test(message) || errorCode?.endsWith('spend_limit_reached'))
    return 'insufficient_quota';
  return /prompt is too long|exceed context limit/i.test(message) ? 'context_length_exceeded' : undefined;
}
