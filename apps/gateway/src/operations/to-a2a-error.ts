import { A2AError } from '@switchyard/protocol';
import { isOutage, TaskMissing } from '@switchyard/store';

/** Anything that an operation may throw as what its caller is told. */
export function toA2AError(thrown: unknown): A2AError {
  if (thrown instanceof TaskMissing) {
    return new A2AError('TaskNotFound', 'The task does not exist or is not accessible', { cause: thrown });
  }
  if (isOutage(thrown)) {
    return new A2AError('Unavailable', 'The task store cannot be used right now', {
      retryAfterSeconds: 1,
      cause: thrown,
    });
  }
  return A2AError.from(thrown);
}
