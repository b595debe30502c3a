import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { isBrokenStream, type ModelProblem, meaningOf } from '@switchyard/agent/models';
import { ResponseRefused } from '@switchyard/outgoing';

/** What an error of Anthropic's SDK says. */
export function problemOf(error: unknown): ModelProblem | undefined {
  if (error instanceof APIConnectionError) return { kind: 'unreachable' };
  if (error instanceof APIError) {
    const { type, errorCode, headers, requestID } = error;
    // An error in the middle of a stream has a type only.
    const status = error.status ?? statuses.get(type ?? '');
    const isSpent = errorCode?.endsWith('spend_limit_reached');
    const codes = [isSpent ? 'insufficient_quota' : meaningOf(error.message), type];
    return { kind: 'refused', status, codes, headers, requestId: requestID };
  }
  if (error instanceof ResponseRefused) return { kind: 'too-large' };
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
