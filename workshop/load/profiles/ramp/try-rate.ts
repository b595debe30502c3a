import { arrivals } from '../../arrivals/arrivals.ts';
import type { Outcome } from '../../client/outcome.ts';
import { Latencies } from '../../measure/latencies.ts';
import type { TriedRate } from '../findings.ts';
import type { Load } from '../load.ts';
import { onArrivals } from '../on-arrivals.ts';
import { type Mode, sendOne } from '../send-one.ts';

export interface Attempt {
  readonly rate: number;
  readonly lengthMs: number;
  readonly mode: Mode;
  readonly limits: Limits;
}

/**
 * Sends at one rate for the length of a step and waits until all of it is answered, so that one step does not pay for
 * another. A step that cannot be held any more ends at once. Undefined when the run was over first.
 */
export async function tryRate(load: Load, { rate, lengthMs, mode, limits }: Attempt): Promise<TriedRate | undefined> {
  const step = new Step(rate, lengthMs, limits);
  const lost = new AbortController();
  const time = AbortSignal.timeout(lengthMs);
  const times = arrivals({ rateAt: () => rate, peak: rate, random: load.random });
  const act = async (dueAt: number): Promise<void> => {
    const { outcome, ms } = await sendOne(load, mode, dueAt);
    if (lost.signal.aborted) return;
    step.ended(outcome, ms);
    if (!step.isLost) return;
    lost.abort();
    load.connections.dropWaiting();
  };
  await onArrivals(load, { times, signal: AbortSignal.any([time, lost.signal, load.over]), act });
  const isWhole = time.aborted || lost.signal.aborted;
  return isWhole ? step.verdict() : undefined;
}

interface Limits {
  /** For 99 of 100 answers. */
  readonly maxLatencyMs: number;
  readonly maxErrorRateShare: number;
}

const MAY_BE_LATE = 0.01;

/** What becomes of one rate. What was asked and not answered in time counts as late. */
class Step {
  readonly rate: number;
  readonly #limits: Limits;
  /** Requests that are to be expected. */
  readonly #expected: number;
  readonly #latencies = new Latencies();
  #requests = 0;
  #late = 0;
  #errors = 0;

  constructor(rate: number, lengthMs: number, limits: Limits) {
    this.rate = rate;
    this.#limits = limits;
    this.#expected = (rate * lengthMs) / 1_000;
  }

  ended(outcome: Outcome<unknown>, ms: number): void {
    this.#requests++;
    if (outcome.ok) this.#latencies.add(ms);
    else this.#errors++;
    if (!outcome.ok || ms > this.#limits.maxLatencyMs) this.#late++;
  }

  /** No answer can change the verdict any more: so many of the expected ones were late. */
  get isLost(): boolean {
    return this.#problem(Math.max(this.#expected, this.#requests)) !== undefined;
  }

  verdict(): TriedRate {
    const because = this.#requests === 0 ? 'nothing was answered' : this.#problem(this.#requests);
    const { rate } = this;
    const latency = this.#latencies.summary();
    return { rate, held: because === undefined, because, latency, requests: this.#requests, errors: this.#errors };
  }

  /** @param of how many answers */
  #problem(of: number): string | undefined {
    const { maxErrorRateShare, maxLatencyMs } = this.#limits;
    if (this.#errors > of * maxErrorRateShare) return `${this.#errors} errors`;
    // One of a hundred answers, and at least one: of few answers the slowest says little.
    if (this.#late > Math.max(1, of * MAY_BE_LATE)) return `p99 above ${maxLatencyMs} ms`;
    return undefined;
  }
}
