import { arrivals } from '../arrivals/arrivals.ts';
import { onArrivals } from './on-arrivals.ts';
import { defineProfile } from './profile.ts';
import { modeOption, operationOf, sendOne } from './send-one.ts';

/** The same rate all the time. */
export const steady = defineProfile({
  name: 'steady',
  summary: 'messages at the same rate all the time',
  defaults: { rate: '100', connections: '200' },
  options: { mode: modeOption },
  canWarmUp: true,
  primary: ({ mode }) => operationOf(mode),
  async run(load, { mode }) {
    const { rate } = load.options;
    const times = arrivals({ rateAt: () => rate, peak: rate, random: load.random });
    await onArrivals(load, { times, signal: load.over, act: (dueAt) => sendOne(load, mode, dueAt) });
    return {};
  },
});
