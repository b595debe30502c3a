import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { WorkerFigures } from '@switchyard/operators';
import type { WorkerEvent } from './events.ts';

/** Two windows of this length: the figures cover the last five to ten seconds. */
const WINDOW_MS = 5_000;
const MAX_MS = 86_400_000;

interface Window {
  ended: number;
  failed: number;
  readonly queueWait: RecordableHistogram;
  readonly firstEvent: RecordableHistogram;
}

/** Counts and percentiles of a worker's latest turns, for its report to operators. */
export class Figures {
  #last = newWindow();
  #now = newWindow();
  #beganAt = performance.now();

  readonly count = (event: WorkerEvent): void => {
    this.#roll();
    if ('waitedMs' in event && event.waitedMs !== undefined) record(this.#now.queueWait, event.waitedMs);
    else if (event.kind === 'first-event') record(this.#now.firstEvent, event.afterMs);
    else if (event.kind === 'turn-ended' || event.kind === 'turn-given-up') this.#countEnd(event);
  };

  read(): WorkerFigures {
    this.#roll();
    const windows = [this.#last, this.#now];
    return {
      ended: this.#last.ended + this.#now.ended,
      failed: this.#last.failed + this.#now.failed,
      queueWaitP95Ms: p95(windows.map(({ queueWait }) => queueWait)),
      firstEventP95Ms: p95(windows.map(({ firstEvent }) => firstEvent)),
    };
  }

  #countEnd({ kind, outcome }: WorkerEvent & { kind: 'turn-ended' | 'turn-given-up' }): void {
    this.#now.ended++;
    if (kind === 'turn-given-up' || outcome === 'failed' || outcome === 'TASK_STATE_FAILED') this.#now.failed++;
  }

  #roll(): void {
    const now = performance.now();
    if (now - this.#beganAt < WINDOW_MS) return;
    this.#last = now - this.#beganAt < 2 * WINDOW_MS ? this.#now : newWindow();
    this.#now = newWindow();
    this.#beganAt = now;
  }
}

function newWindow(): Window {
  return { ended: 0, failed: 0, queueWait: histogram(), firstEvent: histogram() };
}

/** Values are exact to two significant digits. */
const histogram = (): RecordableHistogram => createHistogram({ lowest: 1, highest: MAX_MS, figures: 2 });

/** A histogram accepts only whole numbers from 1. */
function record(to: RecordableHistogram, ms: number): void {
  to.record(Math.min(MAX_MS, Math.max(1, Math.round(ms))));
}

function p95(windows: readonly RecordableHistogram[]): number | null {
  const both = histogram();
  for (const one of windows) both.add(one);
  return both.count === 0 ? null : both.percentile(95);
}
