import { A2AError } from '@switchyard/protocol';
import type { TaskStore } from '../operations/backend.ts';

/**
 * The same tasks, but nobody waits longer than `ms` for Redis: commands queue up for a connection that is gone, clients should not.
 * A message that is accepted after its caller was sent away is found again by a retry, which is the same message.
 */
export function withStoreDeadline(tasks: TaskStore, ms: number): TaskStore {
  return {
    accept: (scope, submission) => within(ms, tasks.accept(scope, submission)),
    read: (scope, taskId, view) => within(ms, tasks.read(scope, taskId, view)),
    list: (scope, query) => within(ms, tasks.list(scope, query)),
    cancel: (scope, taskId) => within(ms, tasks.cancel(scope, taskId)),
  };
}

function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new A2AError('Unavailable', 'The task store does not answer', { retryAfterSeconds: 1 })),
      ms,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
