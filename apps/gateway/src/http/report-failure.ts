import type { A2AError, A2AErrorCode } from '@switchyard/protocol';
import { toA2AError } from '../operations/to-a2a-error.ts';
import type { Entrance } from './entrance.ts';
import type { Exchange } from './exchange.ts';

/** Our fault or the surroundings': an operator wants to know. The other codes are for the client. */
const faults: ReadonlySet<A2AErrorCode> = new Set(['Internal', 'InvalidAgentResponse', 'Unavailable']);

/** What was thrown as what the client is told; headers say what a body cannot, and operators hear of it. */
export function reportFailure({ observe, authenticator }: Entrance, { req, res }: Exchange, thrown: unknown): A2AError {
  const error = toA2AError(thrown);
  const kind = faults.has(error.code) ? 'failed' : 'refused';
  observe({ kind, requestId: requestIdOf(res), method: req.method, path: req.path, code: error.code, err: error });
  if (res.headersSent) return error;
  if (error.code === 'Unauthenticated') res.setHeader('WWW-Authenticate', authenticator.challenge);
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
  return error;
}

export function requestIdOf(res: Exchange['res']): string {
  return String(res.getHeader('X-Request-Id') ?? '');
}
