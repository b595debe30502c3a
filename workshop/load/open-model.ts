import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Latencies, type SeededRandom } from '../statistics.ts';

interface ArrivalSettings {
  /** Arrivals per second at a time, in milliseconds since the start. */
  readonly rateAt: (ms: number) => number;
  /** The highest of these rates. */
  readonly peak: number;
  readonly random: SeededRandom;
}

/**
 * Arrivals of independent clients, a Poisson process, in milliseconds since the start. It never ends.
 * For a rate that changes, candidates come at the highest rate and some of them stay away (thinning).
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
/** The longest nap, in milliseconds: so soon an end is noticed. */
const NAP_MS = 50;

export interface Pace {
  /** Milliseconds since the start, in order. */
  readonly arrivals: Iterator<number, unknown>;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** How late each arrival was started. */
  readonly lateness: Latencies;
  readonly onArrival: (dueAt: number) => void;
}

/**
 * Reports each arrival when it is due, whether or not earlier ones were answered: an open model. A late arrival counts
 * from when it was due, so that a generator or a server that stalls does not hide it (no coordinated omission).
 * Only what timers cannot do better, 2 ms, is rounded away. Resolves when arrivals end or are ended.
 */
export async function keepPace({ arrivals, signal, lateness, onArrival }: Pace): Promise<void> {
  const start = performance.now();
  let next = arrivals.next();
  while (!next.done && !signal.aborted) {
    const now = performance.now();
    while (!next.done && start + next.value <= now) {
      const dueAt = start + next.value;
      lateness.add(now - dueAt);
      onArrival(now - dueAt <= GRAIN_MS ? now : dueAt);
      next = arrivals.next();
    }
    if (!next.done) await delay(Math.min(NAP_MS, Math.max(1, start + next.value - performance.now())));
  }
}

/** Node's watch ticks this often, in milliseconds, and counts the tick as part of the delay. */
const TICK_MS = 10;
const BUSY_SHARE = 0.9;
const LATE_MS = 25;
/** A shorter interval is too short for a share, in milliseconds. */
const SHORTEST_MS = 500;

export type GeneratorReading = ReturnType<GeneratorWatch['stop']>;

/** Watches this process: the figures of an overloaded generator are not the server's. */
export class GeneratorWatch {
  readonly lateness = new Latencies();
  readonly connectionWaits = new Latencies();
  readonly #loop = monitorEventLoopDelay({ resolution: TICK_MS });
  #usedMs = 0;
  #watchedMs = 0;
  #mostShare = 0;
  #cpu = process.cpuUsage();
  #since = performance.now();

  /** Resets all counters. */
  start(): void {
    this.#cpu = process.cpuUsage();
    this.#since = performance.now();
    this.lateness.reset();
    this.connectionWaits.reset();
    this.#loop.enable();
  }

  /** Ends an interval: a second, or the rest of one at the end. */
  cut(): void {
    const now = performance.now();
    const { user, system } = process.cpuUsage(this.#cpu);
    const [usedMs, watchedMs] = [(user + system) / 1_000, now - this.#since];
    this.#usedMs += usedMs;
    this.#watchedMs += watchedMs;
    if (watchedMs >= SHORTEST_MS) this.#mostShare = Math.max(this.#mostShare, usedMs / watchedMs);
    this.#cpu = process.cpuUsage();
    this.#since = now;
  }

  /** What was seen in the run. */
  stop() {
    this.#loop.disable();
    const reading = {
      // Of one processor, over the run; 1 is a whole one.
      cpuShare: this.#usedMs / Math.max(1, this.#watchedMs),
      // Of the busiest second.
      mostCpuShare: this.#mostShare,
      // How long the event loop was held up, how late arrivals were begun and requests got a connection, in ms.
      eventLoopDelayP99: Math.max(0, this.#loop.percentile(99) / 1e6 - TICK_MS),
      lateP99: this.lateness.at(decidedPercentile(this.lateness.count)) ?? 0,
      connectionWaitP99: this.connectionWaits.at(99) ?? 0,
    };
    return { ...reading, bottleneck: bottleneckIn(reading) };
  }
}

/** p99 as long as at least ten arrivals are later: of two that are late nothing follows. */
function decidedPercentile(count: number): number {
  return Math.max(50, 100 - 100 * Math.max(0.01, 10 / Math.max(1, count)));
}

/** Why the figures are the generator's rather than the server's; empty if they are not. */
function bottleneckIn({
  mostCpuShare,
  eventLoopDelayP99,
  lateP99,
}: Record<'mostCpuShare' | 'eventLoopDelayP99' | 'lateP99', number>): string[] {
  const heldUp = [
    ...(eventLoopDelayP99 < LATE_MS
      ? []
      : [`its event loop was held up for ${Math.round(eventLoopDelayP99)} ms (p99)`]),
    ...(lateP99 < LATE_MS ? [] : [`it began requests ${Math.round(lateP99)} ms late (p99)`]),
  ];
  const share = `${Math.round(mostCpuShare * 100)} % of a processor`;
  if (mostCpuShare >= BUSY_SHARE) return [...heldUp, `it used ${share}`];
  return heldUp.length === 0
    ? []
    : [...heldUp, `though it used ${share} at most: its machine is busy with something else`];
}
