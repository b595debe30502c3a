import { hostname } from 'node:os';
import { Ops } from '@switchyard/operators';
import type { Store } from '@switchyard/store';
import type { Predecessor } from './predecessor.ts';

/** Records at the attempts of a process that a signal has ended why they ended. The process itself could not do so. */
export async function recordDeath(store: Store, { pid, signal }: Predecessor): Promise<void> {
  const turns = await new Ops(store).turnsOfProcess({ host: hostname(), pid });
  const isOne = turns.length === 1;
  const others = isOne ? '' : ` This is one of ${turns.length} turns that ran there.`;
  const message = `The worker ended by signal ${signal} while it ran the attempt: ${causes[signal] ?? 'it crashed'}.${others}`;
  await Promise.all(
    turns.map(({ taskId, epoch, attempt, worker }) =>
      store.turns.recordFailure({ taskId, epoch }, { kind: 'worker-lost', message, worker, attempt }),
    ),
  );
}

const causes: Readonly<Record<number, string>> = {
  // Node aborts itself when its heap is full.
  6: 'most likely it ran out of memory',
  9: 'it was killed, perhaps by the system because memory was short',
};
