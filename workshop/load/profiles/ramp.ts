import { number, time } from '../../options.ts';
import type { Outcome } from '../client/outcome.ts';
import { Latencies } from '../measure/latencies.ts';
import { type Mode, modeOption, onArrivals, operationOf, sendOne, steadily } from './messages.ts';
import { defineProfile, type Load, type TriedRate } from './profile.ts';

const options = {
  mode: modeOption,
  peak: number({ what: 'the highest rate that is tried', fallback: '10000' }, 0.1, 50_000),
  stepMs: time({ what: 'for how long each rate is tried', fallback: '3s' }, '200ms', '10m'),
  maxLatencyMs: time({ what: 'a rate holds while 99 of 100 answers come within that', fallback: '250ms' }, '1ms', '1m'),
};

/** Raises the rate until latency or errors pass a limit, then looks where exactly that is. */
export const ramp = defineProfile({
  name: 'ramp',
  summary: 'a higher and higher rate, until latency or errors pass a limit',
  defaults: { duration: '60s', rate: '50', connections: '500' },
  options,
  canWarmUp: true,
  primary: ({ mode }) => operationOf(mode),
  contradictions: ({ rate, durationMs }, { peak, stepMs }) => [
    ...(peak >= rate ? [] : ['--peak must not be lower than --rate, where the ramp begins']),
    ...(stepMs <= durationMs ? [] : ['--step must not be longer than --duration']),
  ],
  async run(load, { mode, peak, stepMs, maxLatencyMs }) {
    const { rate, maxErrorRateShare } = load.options;
    const search = new RateSearch(rate, peak);
    const tried: TriedRate[] = [];
    const limits = { maxLatencyMs, maxErrorRateShare };
    for (let next = search.next; next !== undefined && !load.over.aborted; next = search.next) {
      const verdict = await tryTwice(load, { rate: next, lengthMs: stepMs, mode, limits });
      if (!verdict) break;
      tried.push(verdict);
      search.tried(next, verdict.held);
    }
    const { highestThatHeld, lowestThatDidNot } = search;
    return { ramp: { tried, highestThatHeld, lowestThatDidNot, maxLatencyMs } };
  },
});

/** A machine may hiccup: only a rate that does not hold twice does not hold. */
async function tryTwice(load: Load, attempt: Attempt): Promise<TriedRate | undefined> {
  const first = await tryRate(load, attempt);
  if (!first || first.held) return first;
  return (await tryRate(load, attempt)) ?? first;
}

/** The search ends when the highest rate that held and the lowest that did not are this close. */
const CLOSE_ENOUGH = 1.1;

/** Which rate to try next: twice as much while they hold, then half-way between the two that are known. Pure. */
export class RateSearch {
  highestThatHeld: number | undefined;
  lowestThatDidNot: number | undefined;
  readonly #from: number;
  readonly #to: number;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** Undefined when there is nothing more to be found out. */
  get next(): number | undefined {
    const { highestThatHeld: held, lowestThatDidNot: missed } = this;
    if (held === undefined) return missed === undefined ? this.#from : undefined;
    if (missed === undefined) return held < this.#to ? Math.min(this.#to, held * 2) : undefined;
    return missed / held <= CLOSE_ENOUGH ? undefined : rounded((held + missed) / 2);
  }

  tried(rate: number, held: boolean): void {
    if (held) this.highestThatHeld = rate;
    else this.lowestThatDidNot = rate;
  }
}

/** Two significant digits: 1,137 and 1,140 per second cannot be told apart. */
function rounded(rate: number): number {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 2);
  return rate < 10 ? rate : Math.round(rate / digit) * digit;
}

interface Attempt {
  readonly rate: number;
  readonly lengthMs: number;
  readonly mode: Mode;
  readonly limits: Limits;
}

/**
 * Sends at one rate for the length of a step and waits until all of it is answered, so that one step does not pay for
 * another. A step that cannot be held any more ends at once. Undefined when the run was over first.
 */
async function tryRate(load: Load, { rate, lengthMs, mode, limits }: Attempt): Promise<TriedRate | undefined> {
  const step = new Step(rate, lengthMs, limits);
  const lost = new AbortController();
  const time = AbortSignal.timeout(lengthMs);
  const act = async (dueAt: number): Promise<void> => {
    const { outcome, ms } = await sendOne(load, mode, dueAt);
    if (lost.signal.aborted) return;
    step.ended(outcome, ms);
    if (!step.isLost) return;
    lost.abort();
    load.connections.dropWaiting();
  };
  const signal = AbortSignal.any([time, lost.signal, load.over]);
  await onArrivals(load, { times: steadily(load, rate), signal, act });
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

  /** Too many answers were late already: no later one can change the verdict. */
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
    // One of a hundred answers may be late, and at least one: of few answers the slowest means little.
    if (this.#late > Math.max(1, of * MAY_BE_LATE)) return `p99 above ${maxLatencyMs} ms`;
    return undefined;
  }
}
