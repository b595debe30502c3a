import type { A2AError } from '@switchyard/protocol';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Emit } from '../telemetry/events.ts';
import { failureOf, toA2AError } from '../telemetry/failures.ts';
import { type Exchange, requestName } from './exchange.ts';

/** What refusing a request takes. */
export interface Refusal {
  readonly emit: Emit;
  readonly authenticator: Pick<Authenticator, 'challenge'>;
}

/** What was thrown, as the error for the client: its headers are set, and it is logged. */
export function reportFailure({ emit, authenticator }: Refusal, exchange: Exchange, thrown: unknown): A2AError {
  const { res } = exchange;
  const error = toA2AError(thrown);
  emit({ ...failureOf(error), ...requestName(exchange) });
  if (res.headersSent) return error;
  if (error.code === 'Unauthenticated') res.setHeader('WWW-Authenticate', authenticator.challenge);
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
  return error;
}
