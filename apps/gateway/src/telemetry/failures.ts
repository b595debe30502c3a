import { type FileRefusal, FileRefused } from '@switchyard/files';
import { A2AError, type A2AErrorCode, type A2AErrorDetails } from '@switchyard/protocol';
import {
  AnswersTooLarge,
  ArchiveBusy,
  ArchiveUnavailable,
  isOutage,
  isOutOfMemory,
  TaskMissing,
} from '@switchyard/store';
import { EndOfWait } from './end-of-wait.ts';

/** Why a file is not stored, or not read, as an error. */
const fileCodes: Readonly<Record<FileRefusal, A2AErrorCode>> = {
  'too-large': 'PayloadTooLarge',
  'over-quota': 'RateLimited',
  'store-full': 'Unavailable',
  unavailable: 'Unavailable',
  incomplete: 'InvalidRequest',
  'too-long': 'InvalidRequest',
  'wrong-digest': 'InvalidRequest',
  'wrong-offset': 'Conflict',
  busy: 'Conflict',
  damaged: 'Internal',
};

/** What the client can do about it. */
const fileDetails: Readonly<Partial<Record<FileRefusal, A2AErrorDetails>>> = {
  'too-large': { metadata: { limit: 'file-bytes' } },
  'over-quota': { metadata: { limit: 'file-bytes-of-principal' }, retryAfterSeconds: 3_600 },
  'store-full': { metadata: { limit: 'disk' }, reason: 'STORE_FULL', retryAfterSeconds: 60 },
  unavailable: { retryAfterSeconds: 5 },
};

/** Converts anything thrown to the error for the caller. */
export function toA2AError(thrown: unknown): A2AError {
  // Its text may quote an error of a connection.
  if (thrown instanceof A2AError) return thrown;
  if (thrown instanceof TaskMissing) {
    return new A2AError('TaskNotFound', 'The task does not exist or is not accessible', { cause: thrown });
  }
  if (isOutOfMemory(thrown)) {
    return new A2AError('Unavailable', 'The task store is full', {
      reason: 'STORE_FULL',
      metadata: { limit: 'memory' },
      retryAfterSeconds: 1,
      cause: thrown,
    });
  }
  if (thrown instanceof ArchiveBusy) {
    const text = 'Searches for words wait for each other at this gateway: try again in some seconds';
    return new A2AError('Unavailable', text, { metadata: { limit: 'text-searches' }, retryAfterSeconds: 5 });
  }
  if (isOutage(thrown)) {
    const what = thrown instanceof ArchiveUnavailable ? 'archive of ended tasks' : 'task store';
    return new A2AError('Unavailable', `The ${what} is unavailable`, {
      retryAfterSeconds: 1,
      cause: thrown,
    });
  }
  if (thrown instanceof AnswersTooLarge) {
    return new A2AError('Unavailable', 'This gateway is sending too much data to clients', {
      retryAfterSeconds: 1,
      cause: thrown,
    });
  }
  if (thrown instanceof FileRefused) {
    const { reason, message } = thrown;
    return new A2AError(fileCodes[reason], message, { ...fileDetails[reason], cause: thrown });
  }
  return A2AError.from(thrown);
}

/** Faults of the gateway or its surroundings, which concern operators. The others concern the client. */
const faults: ReadonlySet<A2AErrorCode> = new Set(['Internal', 'InvalidAgentResponse', 'Unavailable']);

/**
 * The event of an error. A stream that the gateway ends on purpose is no fault.
 */
export function failureOf(error: A2AError): { kind: 'failed' | 'refused'; code: A2AErrorCode; err: A2AError } {
  // Its text says it all; where the gateway threw it would look like a defect of the gateway.
  if (error.code === 'Unavailable' && error.cause === undefined) Reflect.deleteProperty(error, 'stack');
  const isFault = faults.has(error.code) && !(error.cause instanceof EndOfWait);
  return { kind: isFault ? 'failed' : 'refused', code: error.code, err: error };
}
