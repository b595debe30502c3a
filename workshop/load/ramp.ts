import { number, time } from '../options.ts';
import { Latencies } from '../statistics.ts';
import { defineProfile, type Load, type Mode, onArrivals, operationOf, steadily, type TriedRate } from './profile.ts';
import { modeOption, sendOne } from './profiles.ts';

/** Raises the rate until latency or errors exceed a limit, then closes in on the highest rate that holds. */
export const ramp = defineProfile({
  name: 'ramp',
  summary: 'a rising rate until latency or errors exceed a limit',
  defaults: { duration: '60s', rate: '50', connections: '500' },
  options: {
    mode: modeOption,
    peak: number('highest rate to try', '10000', ['0.1', '50000']),
    stepMs: time('time at each rate', '3s', ['200ms', '10m']),
    maxLatencyMs: time('a rate holds if 99 of 100 answers come within this time', '250ms', ['1ms', '1m']),
  },
  canWarmUp: true,
  primary: ({ mode }) => operationOf(mode),
  contradictions: ({ rate, durationMs, peak, stepMs }) => [
    ...(peak >= rate ? [] : ['--peak must not be lower than --rate, where the ramp begins']),
    ...(stepMs <= durationMs ? [] : ['--step must not be longer than --duration']),
  ],
  async run(load, { mode, peak, stepMs, maxLatencyMs }) {
    const search = new RateSearch(load.options.rate, peak);
    const tried: TriedRate[] = [];
    for (let rate = search.next; rate !== undefined && !load.over.aborted; rate = search.next) {
      const attempt = { rate, stepMs, mode, maxLatencyMs };
      const first = await tryRate(load, attempt);
      // The machine may be busy for a moment, so a rate fails only if it fails twice.
      const verdict = !first || first.held ? first : ((await tryRate(load, attempt)) ?? first);
      if (!verdict) break;
      tried.push(verdict);
      search.tried(rate, verdict.held);
    }
    const { highestThatHeld, lowestThatDidNot } = search;
    return { ramp: { tried, highestThatHeld, lowestThatDidNot } };
  },
});

/** The search ends when the highest rate that held and the lowest that did not are this close. */
const CLOSE_ENOUGH = 1.1;

/** The next rate to try: twice as much while rates hold, then the middle between the two known ones. Pure. */
export class RateSearch {
  highestThatHeld: number | undefined;
  lowestThatDidNot: number | undefined;
  readonly #from: number;
  readonly #to: number;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** Undefined when the search has ended. */
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

/** Two significant digits, since 1,137 and 1,140 per second cannot be distinguished. */
function rounded(rate: number): number {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 2);
  return rate < 10 ? rate : Math.round(rate / digit) * digit;
}

interface Attempt {
  readonly rate: number;
  readonly stepMs: number;
  readonly mode: Mode;
  readonly maxLatencyMs: number;
}

const MAY_BE_LATE = 0.01;

/**
 * Sends at one rate for the length of a step, and waits for all answers, so that no step slows the next one down. A
 * step that cannot hold any more starts nothing new. A request without an answer in time counts as late.
 * @returns undefined if the run was over first
 */
async function tryRate(load: Load, { rate, stepMs, mode, maxLatencyMs }: Attempt): Promise<TriedRate | undefined> {
  const latencies = new Latencies();
  let [requests, late, errors] = [0, 0, 0];
  const problem = (answers: number): string | undefined => {
    if (errors > answers * load.options.maxErrorRateShare) return `${errors} errors`;
    // One of a hundred answers may be late, and at least one, since the slowest of few answers means little.
    return late > Math.max(1, answers * MAY_BE_LATE) ? `p99 above ${maxLatencyMs} ms` : undefined;
  };
  const lost = new AbortController();
  const time = AbortSignal.timeout(stepMs);
  const act = async (dueAt: number): Promise<void> => {
    const { failure, ms } = await sendOne(load, mode, dueAt);
    if (lost.signal.aborted) return;
    requests++;
    if (failure) errors++;
    else latencies.add(ms);
    if (failure || ms > maxLatencyMs) late++;
    // No later answer can change the result.
    if (problem(Math.max(requests, (rate * stepMs) / 1_000))) lost.abort();
  };
  const signal = AbortSignal.any([time, lost.signal, load.over]);
  await onArrivals(load, { times: steadily(load, rate), signal, act });
  if (!time.aborted && !lost.signal.aborted) return undefined;
  const because = requests === 0 ? 'nothing was answered' : problem(requests);
  return { rate, held: because === undefined, because, latency: latencies.summary(), requests, errors };
}
