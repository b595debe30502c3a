import type { A2AError, A2AErrorCode } from '@switchyard/protocol';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Observe } from '../observe/happening.ts';
import { toA2AError } from '../operations/to-a2a-error.ts';
import { type Exchange, requestName } from './exchange.ts';

/** Our fault or the surroundings': an operator wants to know. The other codes are for the client. */
const faults: ReadonlySet<A2AErrorCode> = new Set(['Internal', 'InvalidAgentResponse', 'Unavailable']);

/** What refusing a request takes. */
export interface Refusal {
  readonly observe: Observe;
  readonly authenticator: Pick<Authenticator, 'challenge'>;
}

/** What was thrown as what the client is told; headers say what a body cannot, and operators hear of it. */
export function reportFailure({ observe, authenticator }: Refusal, exchange: Exchange, thrown: unknown): A2AError {
  const { res } = exchange;
  const error = toA2AError(thrown);
  observe({ ...failureOf(error), ...requestName(exchange) });
  if (res.headersSent) return error;
  if (error.code === 'Unauthenticated') res.setHeader('WWW-Authenticate', authenticator.challenge);
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
  return error;
}

/** What operators hear of an error. */
export function failureOf(error: A2AError): { kind: 'failed' | 'refused'; code: A2AErrorCode; err: A2AError } {
  return { kind: faults.has(error.code) ? 'failed' : 'refused', code: error.code, err: error };
}
