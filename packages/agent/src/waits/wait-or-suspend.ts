import { setTimeout as delay } from 'node:timers/promises';
import type { DataSchema } from '../data/data-schema.ts';
import { schemaForGivers } from '../data/input.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import type { WaitPort, WaitRequest } from '../port/wait-port.ts';

/** A wait up to this long holds the process: to suspend the turn would cost more. */
const SHORT_MS = 1_000;

/**
 * Waits until a time or an event. If that takes long, and the turn does nothing else, it is suspended: the promise never
 * settles, and the next run of the turn calls it again.
 * @param schema of the event's data
 * @returns as in `WaitBeginning`
 */
export async function waitOrSuspend(
  waits: WaitPort,
  journal: TurnJournal,
  request: WaitRequest,
  schema?: DataSchema<unknown>,
): Promise<string> {
  const { pending, signal } = journal;
  for (;;) {
    const wait = await pending.during(() => journal.runEffect(() => waits.begin(request)));
    if (wait.kind === 'done') return wait.result;
    const { dueMs, leftMs } = wait;
    if (request.event !== undefined || leftMs > SHORT_MS)
      return pending.add({ event: request.event, schema: schema && schemaForGivers(schema), dueMs });
    await pending.during(() => delay(leftMs, undefined, { signal }).catch(() => signal.throwIfAborted()));
  }
}
