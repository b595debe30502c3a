/** What a fault makes unavailable: tasks in Redis, tasks in the archive, or files. */
export type Store = 'tasks' | 'archive' | 'files';

interface Outage {
  readonly of: Store;
  readonly fromMs: number;
  untilMs: number;
}

/** Programs notice late that a store is back: a request waits for its time, and one may be under way. */
const NOTICED_WITHIN_MS = 8_000;

/** When faults made stores unavailable, by `performance.now`. */
export class Outages {
  readonly #all: Outage[] = [];

  /** An outage from now on. @returns ends it */
  begin(of: Store): () => void {
    const outage = { of, fromMs: performance.now(), untilMs: Number.POSITIVE_INFINITY };
    this.#all.push(outage);
    return () => {
      outage.untilMs = performance.now();
    };
  }

  /** Whether one of these stores may have been unavailable to a request of this time. */
  explain(
    stores: readonly Store[],
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  ): boolean {
    return this.#all.some(
      (outage) =>
        stores.includes(outage.of) && outage.fromMs <= untilMs && fromMs <= outage.untilMs + NOTICED_WITHIN_MS,
    );
  }
}
