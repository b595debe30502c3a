import { quantile } from '../../bench/measure/statistics.ts';
import type { History, Second } from './history.ts';

/** What a simulation comes to. Times in seconds. */
export interface Outcome {
  readonly acceptP50: number;
  readonly acceptP99: number;
  readonly acceptLongest: number;
  /** Share of all messages that was answered 503 at first. */
  readonly refused: number;
  /** Jobs that waited for a worker at the worst moment. */
  readonly mostWaiting: number;
  /** After the peak has begun, until hardly any job waits, for good; undefined: not before the end. */
  readonly recovery: number | undefined;
  readonly leastWorkers: number;
  readonly mostWorkers: number;
  /** How often there came to be more workers, or fewer. */
  readonly changes: number;
  readonly busiestShard: number;
}

/** @param peakAt when the peak begins. The seconds before do not count: nothing runs yet at the beginning. */
export function outcomeOf(history: History, peakAt: number): Outcome {
  const seconds = history.seconds.filter(({ at }) => at >= peakAt);
  const workers = seconds.map((second) => second.workers);
  const { accepts } = history;
  return {
    acceptP50: quantile(accepts, 0.5),
    acceptP99: quantile(accepts, 0.99),
    acceptLongest: quantile(accepts, 1),
    refused: history.refused / (accepts.length + history.refused),
    mostWaiting: Math.max(...seconds.map(({ waiting }) => waiting)),
    recovery: recoveryOf(seconds, peakAt),
    leastWorkers: Math.min(...workers),
    mostWorkers: Math.max(...workers),
    changes: workers.filter((count, i) => i > 0 && count !== workers[i - 1]).length,
    busiestShard: quantile(
      seconds.map(({ busiestShard }) => busiestShard),
      0.9,
    ),
  };
}

function recoveryOf(seconds: readonly Second[], peakAt: number): number | undefined {
  const late = seconds.findLast((second) => !isWell(second));
  if (!late) return 0;
  return late === seconds.at(-1) ? undefined : late.at + 1 - peakAt;
}

/** What waits now began to wait in the last quarter of a second. */
const isWell = ({ waiting, sent }: Second): boolean => waiting <= Math.max(10, sent / 4);
