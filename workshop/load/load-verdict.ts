import { percent } from '../tables.ts';
import type { Findings } from './profile.ts';
import type { Recorder } from './recorder.ts';

/**
 * Decides about the exit code, and gives the reason. A ramp passes when a rate held: errors beyond its limit are
 * expected.
 */
export function loadVerdict({ requests, total }: Recorder, { ramp }: Findings, most: number) {
  if (ramp) {
    const { highestThatHeld, lowestThatDidNot } = ramp;
    if (highestThatHeld === undefined) return { passed: false, because: 'not even the first rate held' };
    const limit = lowestThatDidNot === undefined ? 'the limit was not reached' : `${lowestThatDidNot}/s did not`;
    return { passed: true, because: `${highestThatHeld}/s held, ${limit}` };
  }
  if (requests === 0) return { passed: false, because: 'nothing was answered' };
  const rate = total.errors / requests;
  const passed = rate <= most;
  return { passed, because: `errors ${percent(rate)}, ${passed ? 'not more' : 'more'} than ${percent(most)}` };
}
