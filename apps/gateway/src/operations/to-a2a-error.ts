import { A2AError } from '@switchyard/protocol';
import { TaskMissing } from '@switchyard/store';

/** What Redis says when it cannot take commands just now, and ioredis when there is no Redis. */
const outage =
  /^(?:OOM|LOADING|READONLY|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY)\b|^Connection is closed|^Stream isn't writeable|\bE(?:CONN(?:REFUSED|RESET)|PIPE)\b/;

/** Anything that an operation may throw as what its caller is told. */
export function toA2AError(thrown: unknown): A2AError {
  if (thrown instanceof TaskMissing) {
    return new A2AError('TaskNotFound', 'The task does not exist or is not accessible', { cause: thrown });
  }
  if (thrown instanceof Error && outage.test(thrown.message)) {
    return new A2AError('Unavailable', 'The task store cannot be used right now', {
      retryAfterSeconds: 1,
      cause: thrown,
    });
  }
  return A2AError.from(thrown);
}
