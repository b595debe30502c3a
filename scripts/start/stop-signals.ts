const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A Ctrl-C comes twice: the terminal sends it to everybody, and npm passes on its own. Nobody presses it again so soon. */
const SAME_WITHIN_MS = 250;

export interface StopSignals {
  /** Aborts when somebody wants everything to stop: Ctrl-C, `kill`, a closed terminal, or npm gone without a word. */
  readonly asked: AbortSignal;
  /** Aborts when it is asked for again: stop at once. */
  readonly insisted: AbortSignal;
  /** As if one of the signals had come. */
  readonly stop: () => void;
  /** Stops listening, so that the process can end. */
  [Symbol.dispose](): void;
}

export function listenToStopSignals(): StopSignals {
  const asked = new AbortController();
  const insisted = new AbortController();
  let askedAt = 0;
  const hear = (): void => {
    if (!asked.signal.aborted) {
      askedAt = performance.now();
      asked.abort();
    } else if (performance.now() - askedAt >= SAME_WITHIN_MS) insisted.abort();
  };
  for (const signal of signals) process.on(signal, hear);
  const parent = process.ppid;
  const watch = setInterval(() => {
    // npm may be killed without passing it on; without npm it is normal to outlive the shell that started us.
    if (process.env.npm_lifecycle_event && process.ppid !== parent) asked.abort();
  }, 500).unref();
  return {
    asked: asked.signal,
    insisted: insisted.signal,
    stop: () => asked.abort(),
    [Symbol.dispose]: () => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, hear);
    },
  };
}
