const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopSignals {
  /** Aborts when somebody wants everything to stop: Ctrl-C, `kill`, a closed terminal, or npm gone without a word. */
  readonly asked: AbortSignal;
  /** Aborts when it is asked for again: stop at once. */
  readonly insisted: AbortSignal;
  /** Stops listening, so that the process can end. */
  [Symbol.dispose](): void;
}

export function listenToStopSignals(): StopSignals {
  const asked = new AbortController();
  const insisted = new AbortController();
  const hear = (): void => (asked.signal.aborted ? insisted : asked).abort();
  for (const signal of signals) process.on(signal, hear);
  const parent = process.ppid;
  const watch = setInterval(() => {
    // npm may be killed without passing it on; without npm it is normal to outlive the shell that started us.
    if (process.env.npm_lifecycle_event && process.ppid !== parent) asked.abort();
  }, 500).unref();
  return {
    asked: asked.signal,
    insisted: insisted.signal,
    [Symbol.dispose]: () => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, hear);
    },
  };
}
