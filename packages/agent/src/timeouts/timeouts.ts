/** Longest delay of a Node.js timer: with a longer one it would fire at once. */
export const longestTimeoutMs = 2 ** 31 - 1;

/**
 * The times in an executor's settings, in milliseconds, with their defaults. Infinity becomes the longest time of a
 * timer, about 25 days, which no turn outlasts.
 *
 *     const { idleMs } = timesOf({ idleMs: Number.POSITIVE_INFINITY }, { idleMs: 60_000 });
 *
 * @throws {TypeError} naming each time that is not a number from 0 to 2^31 - 1 or Infinity
 */
export function timesOf<Name extends string>(
  given: { readonly [name in NoInfer<Name>]?: number | undefined },
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(defaults) as Name[];
  const times = names.map((name) => [name, given[name] ?? defaults[name]] as const);
  const wrong = times.filter(([, ms]) => !isTime(ms));
  if (wrong.length > 0)
    throw new TypeError(
      wrong
        .map(
          ([name, ms]) =>
            `${name} is ${typeof ms === 'string' ? `"${ms}"` : ms} and must be 0 to ${longestTimeoutMs}, or Infinity`,
        )
        .join('; '),
    );
  return Object.fromEntries(times.map(([name, ms]) => [name, Math.min(ms, longestTimeoutMs)])) as Record<Name, number>;
}

const isTime = (ms: unknown): boolean =>
  typeof ms === 'number' && (ms === Number.POSITIVE_INFINITY || (ms >= 0 && ms <= longestTimeoutMs));

/**
 * A signal for a long request: aborted when no data has come for a time, or with its turn.
 *
 *     using idle = new IdleTimeout(turn.signal, 30_000);
 *     const response = await fetch('https://news.example/today', { signal: idle.signal });
 *     for await (const _chunk of response.body ?? []) idle.restart();
 */
export class IdleTimeout implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #turn: AbortSignal;
  #isExpired = false;

  /** @param timeoutMs longest time without data */
  constructor(turn: AbortSignal, timeoutMs: number) {
    this.#turn = turn;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#controller.abort();
    }, timeoutMs);
    if (turn.aborted) this.#abort();
    else turn.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time ran out. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Call it when data has come. */
  restart(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#turn.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.#turn.reason);
}
