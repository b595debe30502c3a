import { number, time } from '../../options.ts';
import { arrivals } from '../measure/arrivals.ts';
import { modeOption, onArrivals, operationOf, sendOne } from './messages.ts';
import { defineProfile } from './profile.ts';

/** The same rate all the time. */
export const steady = defineProfile({
  name: 'steady',
  summary: 'messages at the same rate all the time',
  defaults: { rate: '100', connections: '200' },
  options: { mode: modeOption },
  canWarmUp: true,
  primary: ({ mode }) => operationOf(mode),
  async run(load, { mode }) {
    await onArrivals(load, { act: (dueAt) => sendOne(load, mode, dueAt) });
    return {};
  },
});

/** Quiet, then many at once, and again: what queues up in a burst, and how long it takes until all is as before. */
export const burst = defineProfile({
  name: 'burst',
  summary: 'few messages, and every now and then many at once',
  defaults: { rate: '50', connections: '500' },
  options: {
    mode: modeOption,
    peak: number({ what: 'arrivals per second in a burst', fallback: '500' }, 0.1, 50_000),
    burstEveryMs: time({ what: 'from burst to burst', fallback: '10s' }, '100ms', '60m'),
    burstLengthMs: time({ what: 'of each burst', fallback: '2s' }, '10ms', '60m'),
  },
  canWarmUp: true,
  primary: ({ mode }) => operationOf(mode),
  contradictions: ({ durationMs, rate }, { peak, burstEveryMs, burstLengthMs }) => [
    ...(burstLengthMs < burstEveryMs ? [] : ['--burst-length must be shorter than --burst-every']),
    ...(burstEveryMs <= durationMs ? [] : ['--burst-every must not be longer than --duration, or there is no burst']),
    ...(peak > rate ? [] : ['--peak must be higher than --rate']),
  ],
  async run(load, { mode, peak, burstEveryMs, burstLengthMs }) {
    const { options: common, random, recorder } = load;
    const start = performance.now();
    const isInBurst = (ms: number): boolean => ms % burstEveryMs >= burstEveryMs - burstLengthMs;
    const times = arrivals({ rateAt: (ms) => (isInBurst(ms) ? peak : common.rate), peak, random });
    const act = async (dueAt: number): Promise<void> => {
      const { outcome, ms } = await sendOne(load, mode, dueAt);
      if (outcome.ok) recorder.took(isInBurst(dueAt - start) ? 'sent in a burst' : 'sent between bursts', ms);
    };
    await onArrivals(load, { times, act });
    return {};
  },
});
