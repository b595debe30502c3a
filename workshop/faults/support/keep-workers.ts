import type { Program } from '../../../tests/support/process.ts';
import type { Stack } from '../../../tests/support/stack.ts';

export interface Keeper extends AsyncDisposable {
  /** How many had to be started again. */
  readonly restarts: number;
  /** Stops the stack. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a worker again whenever one dies, as whatever runs them in production does. */
export function keepWorkers(stack: Stack): Keeper {
  let restarts = 0;
  let isStopped = false;
  const keep = async (first: Program): Promise<void> => {
    for (let worker = first; ; ) {
      await worker.exited;
      if (isStopped) return;
      restarts++;
      worker = await stack.addWorker();
    }
  };
  const guards = stack.workers.map((worker) =>
    keep(worker).catch((error: unknown) => {
      // A worker that is stopped while it starts does not start.
      if (!isStopped) throw error;
    }),
  );
  const stop = async (): Promise<void> => {
    isStopped = true;
    await stack.stop();
    await Promise.all(guards);
  };
  return {
    get restarts() {
      return restarts;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
