/**
 * A write that the agent's author forgot to await must not end the worker process as an unhandled rejection;
 * the turn's journal remembers what went wrong.
 */
export function suppressUnhandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
