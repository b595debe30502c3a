import { keepPace } from '../arrivals/keep-pace.ts';
import type { Load } from './load.ts';

/** Begun and not ended; beyond that this process would be busy with its own memory. */
const MOST_OPEN = 50_000;

export interface Arrivals {
  /** Milliseconds since now. */
  readonly times: Iterator<number, unknown>;
  /** Ends them. */
  readonly signal: AbortSignal;
  /** What each of them does. Never rejects. */
  readonly act: (dueAt: number) => Promise<unknown>;
}

/** Resolves when all that arrived has ended. */
export async function onArrivals(load: Load, { times, signal, act }: Arrivals): Promise<void> {
  const { recorder, lateness } = load;
  const open = new Set<Promise<unknown>>();
  const onArrival = (dueAt: number): void => {
    recorder.arrived();
    if (open.size >= MOST_OPEN) {
      recorder.wrong({ kind: 'not begun', example: `${MOST_OPEN} others were not answered yet` });
      return;
    }
    const done = act(dueAt).finally(() => open.delete(done));
    open.add(done);
  };
  await keepPace({ arrivals: times, signal, lateness, onArrival });
  await Promise.all(open);
}
