import { number, time } from '../../../options.ts';
import type { Findings, TriedRate } from '../findings.ts';
import type { Load } from '../load.ts';
import { defineProfile } from '../profile.ts';
import { modeOption, operationOf } from '../send-one.ts';
import { RateSearch } from './rate-search.ts';
import { type Attempt, tryRate } from './try-rate.ts';

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
    return { ramp: { tried, highestThatHeld, lowestThatDidNot, maxLatencyMs } } satisfies Findings;
  },
});

/** A machine may hiccup: only a rate that does not hold twice does not hold. */
async function tryTwice(load: Load, attempt: Attempt): Promise<TriedRate | undefined> {
  const first = await tryRate(load, attempt);
  if (!first || first.held) return first;
  return (await tryRate(load, attempt)) ?? first;
}
