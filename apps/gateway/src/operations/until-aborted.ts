/**
 * The same items up to the moment when the signal aborts, also if their source hangs just then: a feed that waits for
 * a Redis that is away is not woken by its signal.
 */
export async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const iterator = items[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    for (;;) {
      const result = await Promise.race([iterator.next(), aborted]);
      if (result === undefined || result.done) return;
      yield result.value;
    }
  } finally {
    // Not awaited: it comes behind what hangs.
    iterator.return?.().catch(() => undefined);
  }
}
