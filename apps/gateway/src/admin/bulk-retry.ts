import type { BulkProgress } from '@switchyard/operator-api';
import type { DeadLetters } from '@switchyard/store';
import type { StreamItem } from '../operations/operation.ts';
import { deadLetterFilter } from './parameters.ts';
import { adminOrder, EventsAnswer } from './route.ts';

const atOnce = 10;

/** Many dead letters are retried, 10,000 at most; it ends when its caller goes. */
export const bulkRetryRoutes = [
  adminOrder('/admin/dead-letters\\:retry', deadLetterFilter, async ({ ops }, { parameters }) => {
    const { since: sinceMs, ...filter } = parameters;
    const ids = await ops.deadLetters.ids({ ...filter, sinceMs });
    return new EventsAnswer((signal) => retried(ops.deadLetters, ids, signal));
  }),
];

async function* retried(
  letters: Pick<DeadLetters, 'retry'>,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<StreamItem, void> {
  const total = ids.length;
  let progress: BulkProgress = { total, done: 0, retried: 0, refused: 0, isDone: total === 0 };
  let seq = 1;
  yield { seq, json: JSON.stringify(progress) };
  for (let i = 0; i < total && !signal.aborted; i += atOnce) {
    const results = await Promise.all(ids.slice(i, i + atOnce).map((id) => letters.retry(id)));
    const count = (verdict: 'retried' | 'refused'): number => results.filter((each) => each.verdict === verdict).length;
    const done = progress.done + results.length;
    progress = {
      total,
      done,
      // Another operator may have retried some: they are done all the same.
      retried: progress.retried + count('retried'),
      refused: progress.refused + count('refused'),
      isDone: done === total,
    };
    yield { seq: ++seq, json: JSON.stringify(progress) };
  }
}
