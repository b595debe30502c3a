const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A Ctrl-C comes twice: the terminal sends it to the whole group, and npm passes its own on. A person is not so quick.
 */
const SAME_WITHIN_MS = 250;

export interface StopSignals {
  /** Aborts when everything is to stop: Ctrl-C, `kill`, a closed terminal, or npm was killed. */
  readonly stopped: AbortSignal;
  /** Aborts at the second signal: stop at once. */
  readonly killed: AbortSignal;
  /** As if one of the signals had come. */
  readonly stop: () => void;
  /** Stops listening, so that the process can end. */
  [Symbol.dispose](): void;
}

export function listenToStopSignals(own: NodeJS.Process): StopSignals {
  const stopped = new AbortController();
  const killed = new AbortController();
  let firstAt = 0;
  const onSignal = (): void => {
    if (!stopped.signal.aborted) {
      firstAt = performance.now();
      stopped.abort();
    } else if (performance.now() - firstAt >= SAME_WITHIN_MS) killed.abort();
  };
  for (const signal of signals) own.on(signal, onSignal);
  const parent = own.ppid;
  const watch = setInterval(() => {
    // npm may be killed without passing it on; without npm, this process may outlive its shell.
    if (own.env.npm_lifecycle_event && own.ppid !== parent) stopped.abort();
  }, 500).unref();
  return {
    stopped: stopped.signal,
    killed: killed.signal,
    stop: () => stopped.abort(),
    [Symbol.dispose]: () => {
      clearInterval(watch);
      for (const signal of signals) own.off(signal, onSignal);
    },
  };
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
