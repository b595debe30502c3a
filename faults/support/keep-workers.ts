import type { Stack } from '../../tests/support/stack.ts';

export interface Keeper {
  /** How many had to be started again. */
  readonly restarts: number;
  stop(): Promise<void>;
}

/** Starts a worker again whenever one dies, as whatever runs them in production does. */
export function keepWorkers(stack: Stack): Keeper {
  let restarts = 0;
  let isStopped = false;
  const guards = stack.workers.map(async (first) => {
    let worker = first;
    for (;;) {
      await worker.exited;
      if (isStopped) return;
      restarts++;
      worker = await stack.addWorker();
    }
  });
  return {
    get restarts() {
      return restarts;
    },
    async stop() {
      isStopped = true;
      await stack.stop();
      await Promise.all(guards);
    },
  };
}
