import { setTimeout as delay } from 'node:timers/promises';
import type { Load } from './profile.ts';

/** Clients that ask at once. */
const ASKING = 32;
/** Before a task that runs on is asked for again, in milliseconds. */
const PAUSE_MS = 100;

/**
 * Asks what became of the tasks that are open: what was accepted is to be answered. After the run, and not counted
 * among its requests; at most for `settleMs`.
 */
export async function settle(load: Load): Promise<void> {
  const { tasks, options } = load;
  const signal = AbortSignal.any([AbortSignal.timeout(options.settleMs), load.halted]);
  while (tasks.open.size > 0 && !signal.aborted) {
    const round = tasks.open.values().toArray().values();
    await Promise.all(Array.from({ length: ASKING }, () => askInTurn(load, round, signal)));
    // It throws when the time is over.
    if (tasks.open.size > 0) await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** An iterator that is shared: each id is asked for once in a round. */
async function askInTurn({ client, tasks }: Load, ids: Iterable<string>, signal: AbortSignal): Promise<void> {
  for (const id of ids) {
    if (signal.aborted) return;
    const reading = await client.getTask(id, undefined, performance.now());
    if (reading.ok && reading.value.task) tasks.seen(reading.value.task);
    else if (!reading.ok) return; // a server that does not answer is not pressed; the next round comes
  }
}
