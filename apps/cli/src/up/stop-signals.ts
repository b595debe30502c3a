const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * One Ctrl-C arrives twice: the terminal sends it to the whole process group, and npm forwards its own. A second
 * keypress comes later.
 */
const SAME_WITHIN_MS = 250;

export interface StopSignals {
  /** Aborted when everything must stop: Ctrl-C, `kill`, a closed terminal, or npm was killed. */
  readonly stopped: AbortSignal;
  /** Aborted by the second signal: stop at once. */
  readonly killed: AbortSignal;
  /** Acts like a received signal. */
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
    // npm may be killed without forwarding it; without npm, this process may outlive its shell.
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
