import { arrivals } from '../../arrivals/arrivals.ts';
import type { TriedRate } from '../findings.ts';
import type { Load } from '../load.ts';
import { onArrivals } from '../on-arrivals.ts';
import { type Mode, sendOne } from '../send-one.ts';
import { type Limits, Step } from './step.ts';

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
