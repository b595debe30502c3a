import type { Failure } from '../client/outcome.ts';

export interface ErrorCount {
  readonly kind: string;
  readonly count: number;
  /** The first of them in more words. */
  readonly example: string;
}

export class ErrorCounts {
  readonly #kinds = new Map<string, { count: number; readonly example: string }>();

  add({ kind, example }: Failure): void {
    const known = this.#kinds.get(kind);
    if (known) known.count++;
    else this.#kinds.set(kind, { count: 1, example });
  }

  get total(): number {
    return this.#kinds.values().reduce((sum, { count }) => sum + count, 0);
  }

  /** The most frequent first. */
  list(): ErrorCount[] {
    return Array.from(this.#kinds, ([kind, { count, example }]) => ({ kind, count, example })).toSorted(
      (a, b) => b.count - a.count,
    );
  }
}
