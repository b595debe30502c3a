import { A2AError } from '@switchyard/protocol';
import type { TaskStore, WebhookStore } from '../operations/backend.ts';

/** A store as far as its health is concerned. */
export interface AnsweringStore {
  readonly tasks: TaskStore;
  readonly push: { readonly webhooks: WebhookStore };
  /** Whether it answered a moment ago. */
  readonly isAnswering: boolean;
}

/**
 * The same tasks and webhooks, but nobody waits longer than `ms` for Redis: commands queue up for a connection that is
 * gone, clients should not. While Redis is known to be away nothing is sent at all, so that an outage gathers no
 * commands of callers who have long gone. A message that is accepted after its caller was sent away is found again by a
 * retry, which is the same message.
 */
export function withStoreDeadline(
  store: AnsweringStore,
  ms: number,
): { readonly tasks: TaskStore; readonly webhooks: WebhookStore } {
  const { tasks, push } = store;
  const { webhooks } = push;
  const ask = <T>(question: () => Promise<T>): Promise<T> => askInTime(store, ms, question);
  return {
    tasks: {
      accept: (scope, submission) => ask(() => tasks.accept(scope, submission)),
      read: (scope, taskId, view) => ask(() => tasks.read(scope, taskId, view)),
      list: (scope, query) => ask(() => tasks.list(scope, query)),
      cancel: (scope, taskId) => ask(() => tasks.cancel(scope, taskId)),
      withdraw: (scope, taskId) => ask(() => tasks.withdraw(scope, taskId)),
      delete: (scope, taskId) => ask(() => tasks.delete(scope, taskId)),
    },
    webhooks: {
      create: (scope, taskId, draft) => ask(() => webhooks.create(scope, taskId, draft)),
      get: (scope, taskId, id) => ask(() => webhooks.get(scope, taskId, id)),
      list: (scope, taskId, query) => ask(() => webhooks.list(scope, taskId, query)),
      delete: (scope, taskId, id) => ask(() => webhooks.delete(scope, taskId, id)),
    },
  };
}

/** @throws {A2AError} Unavailable: no answer within `ms`, or the store is known not to answer */
export async function askInTime<T>(
  store: Pick<AnsweringStore, 'isAnswering'>,
  ms: number,
  question: () => Promise<T>,
): Promise<T> {
  if (!store.isAnswering) throw unavailable();
  return within(ms, question());
}

function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable()), ms);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

const unavailable = (): A2AError =>
  new A2AError('Unavailable', 'The task store does not answer', { retryAfterSeconds: 1 });
