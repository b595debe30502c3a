import { Interruption } from '../interruption.ts';

/** A signal that aborts when its parent does, or when time is up. `using` it stops the clock. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

export function startDeadline(parent: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  const onParent = (): void => controller.abort(parent.reason);
  const timer = setTimeout(() => controller.abort(new Interruption('deadline')), ms);
  if (parent.aborted) onParent();
  else parent.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      parent.removeEventListener('abort', onParent);
    },
  };
}
