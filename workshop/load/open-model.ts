import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../statistics.ts';

interface ArrivalSettings {
  /** Arrivals per second at a time, in milliseconds since the start. */
  readonly rateAt: (ms: number) => number;
  /** The highest of these rates. */
  readonly peak: number;
  readonly random: SeededRandom;
}

/**
 * Arrivals of independent clients, a Poisson process, in milliseconds since the start. Never ends.
 * For a changing rate, candidates are generated at the highest rate and some are dropped (thinning).
 */
export function* arrivals({ rateAt, peak, random }: ArrivalSettings): Generator<number, never> {
  let ms = 0;
  for (;;) {
    ms += (-Math.log(1 - random.next()) / peak) * 1_000;
    const rate = rateAt(ms);
    if (rate >= peak || random.next() * peak < rate) yield ms;
  }
}

/** How late a timer of Node can be on an idle machine, in milliseconds. */
const GRAIN_MS = 2;
/** The longest sleep, in milliseconds: the end is noticed after this time. */
const NAP_MS = 50;

export interface Pace {
  /** Times of the arrivals in milliseconds since the start, sorted. */
  readonly arrivals: Iterator<number, unknown>;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Handles one arrival. Never rejects. */
  readonly act: (dueAt: number) => Promise<unknown>;
}

/**
 * Starts each arrival when it is due, whether or not earlier ones were answered: an open model. A late arrival counts
 * from its due time, so that a stalled generator or server does not hide it (no coordinated omission). Delays up to 2
 * ms, the accuracy of timers, are ignored. Resolves when everything that arrived has ended.
 */
export async function keepPace({ arrivals, signal, act }: Pace): Promise<void> {
  const open = new Set<Promise<unknown>>();
  const start = performance.now();
  let next = arrivals.next();
  while (!next.done && !signal.aborted) {
    const now = performance.now();
    while (!next.done && start + next.value <= now) {
      const dueAt = start + next.value;
      const done = act(now - dueAt <= GRAIN_MS ? now : dueAt).finally(() => open.delete(done));
      open.add(done);
      next = arrivals.next();
    }
    if (!next.done) await delay(Math.min(NAP_MS, Math.max(1, start + next.value - performance.now())));
  }
  await Promise.all(open);
}
