import type { Program } from '../../../tests/support/process.ts';
import type { Stack } from '../../../tests/support/stack.ts';

export interface Keeper extends AsyncDisposable {
  /** How many had to be started again. */
  readonly restarts: number;
  /** From now on those that die stay dead. */
  release(): void;
  /** Stops the stack. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a worker again whenever one dies, as whatever runs them in production does. */
export function keepWorkers(stack: Stack): Keeper {
  let restarts = 0;
  let isReleased = false;
  const keep = async (first: Program): Promise<void> => {
    let worker: Program | undefined = first;
    for (;;) {
      await worker?.exited;
      if (isReleased) return;
      restarts++;
      // A worker that takes a poison message at its start dies before it reports ready: it is replaced next.
      worker = await stack.addWorker().catch(() => undefined);
    }
  };
  const kept = stack.workers.map(keep);
  const release = (): void => {
    isReleased = true;
  };
  const stop = async (): Promise<void> => {
    release();
    await stack.stop();
    await Promise.all(kept);
  };
  return {
    get restarts() {
      return restarts;
    },
    release,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
