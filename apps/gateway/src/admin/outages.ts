import { A2AError } from '@switchyard/protocol';
import { ArchiveBusy, ArchiveUnavailable } from '@switchyard/store';
import type { StreamItem } from '../operations/operation.ts';
import { toA2AError } from '../telemetry/failures.ts';

/** An outage says of which of several deployments it is, and what PostgreSQL has answered: clients do not learn that. */
export function forOperators(deployment: number | undefined, thrown: unknown): unknown {
  const { code, message, reason, metadata, retryAfterSeconds = 1 } = toA2AError(thrown);
  if (code !== 'Unavailable') return thrown;
  const text = thrown instanceof ArchiveUnavailable && !(thrown instanceof ArchiveBusy) ? thrown.message : message;
  const name = `Deployment ${deployment}`;
  const named = deployment === undefined || text.startsWith(name) ? text : `${name}: ${text}`;
  return named === message
    ? thrown
    : new A2AError(code, named, { ...(reason && { reason }), metadata, retryAfterSeconds, cause: thrown });
}

/** Items as they come, whose error is for operators. */
export async function* explained(
  deployment: number | undefined,
  items: AsyncIterable<StreamItem>,
): AsyncGenerator<StreamItem, void> {
  try {
    yield* items;
  } catch (thrown) {
    throw forOperators(deployment, thrown);
  }
}
