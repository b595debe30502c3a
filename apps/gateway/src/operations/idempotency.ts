import { hash } from 'node:crypto';
import { A2AError } from '@switchyard/protocol';
import type { KeyedRequest } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { TaskStore } from './backend.ts';

/** What a change with an `Idempotency-Key` gets besides its request. */
export interface Retryable {
  /** The same request was made before, and was not refused. */
  readonly isRetry: boolean;
  /** For ids that the change creates: the same for a retry. Unset without a key. */
  readonly id?: string | undefined;
}

interface Change {
  readonly operation: string;
  readonly taskId: string;
  readonly request: object;
}

/**
 * Makes a change with the caller's key, if it sends one: another request with the same key is a conflict. A refused
 * change drops the key.
 * @throws {A2AError} Conflict
 */
export async function withKey<Result>(
  tasks: Pick<TaskStore, 'claimKey' | 'dropKey'>,
  { scope, idempotencyKey: key }: Pick<Call, 'scope' | 'idempotencyKey'>,
  { operation, taskId, request }: Change,
  change: (retryable: Retryable) => Promise<Result>,
): Promise<Result> {
  if (key === undefined) return change({ isRetry: false });
  const keyed: KeyedRequest = { key, request: JSON.stringify([operation, taskId, request]) };
  const claim = await tasks.claimKey(scope, keyed);
  if (claim === 'conflict') throw keyConflict();
  const id = hash('sha256', JSON.stringify([scope, keyed]), 'base64url').slice(0, 22);
  try {
    return await change({ isRetry: claim === 'retry', id });
  } catch (error) {
    if (claim === 'first' && error instanceof A2AError) await tasks.dropKey(scope, keyed);
    throw error;
  }
}

export function keyConflict(): A2AError {
  return new A2AError('Conflict', 'This Idempotency-Key was used before, for another request', {
    violations: [{ field: 'Idempotency-Key', description: 'was used before, for another request' }],
  });
}
