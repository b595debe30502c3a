import type { BulkProgress } from '@switchyard/operator-api';
import type { DeadLetter, DeadLetters } from '@switchyard/operators';
import { A2AError } from '@switchyard/protocol';
import type { StreamItem } from '../operations/operation.ts';
import { live } from './live.ts';
import { contentsParameters, deadLetterFilter, deadLetterParameters } from './parameters.ts';
import { adminAction, adminRoute, EventsAnswer, found, listRoute, notFound } from './route.ts';

/** Messages and webhooks that failed for good. */
export const deadLetterRoutes = [
  live(
    listRoute(['/admin/dead-letters', deadLetterParameters], 'deadLetters', async ({ ops }, query) => {
      const { pageSize, pageToken, since: sinceMs, ...filter } = query;
      const page = await ops.deadLetters.list({ pageSize, pageToken }, { ...filter, sinceMs });
      return { ...page, items: page.items.map(withoutContents) };
    }),
  ),
  adminRoute(['get', '/admin/dead-letters/:id'], contentsParameters, async ({ ops }, { id, parameters }) => {
    const letter = found(await ops.deadLetters.detail(id), 'dead letter', id);
    return parameters.contents ? letter : withoutContents(letter);
  }),
  adminAction(['post', '/admin/dead-letters/:id\\:retry'], async ({ ops }, { id }) => {
    const result = await ops.deadLetters.retry(id);
    if (result.verdict === 'missing') throw notFound('dead letter', id);
    if (result.verdict === 'refused')
      throw new A2AError('Conflict', 'The message cannot be accepted again', { metadata: { why: result.why } });
    return { taskId: result.taskId };
  }),
  adminAction(['delete', '/admin/dead-letters/:id'], async ({ ops }, { id }) => {
    if (!(await ops.deadLetters.delete(id))) throw notFound('dead letter', id);
    return undefined;
  }),
];

function withoutContents(letter: DeadLetter): object {
  if (letter.kind === 'webhook') return letter;
  const { message, ...rest } = letter;
  return { ...rest, messageId: message.messageId };
}

const atOnce = 10;

/** Retries at most 10,000 dead letters; stops when the caller disconnects. */
export const bulkRetryRoutes = [
  adminRoute(['post', '/admin/dead-letters\\:retry'], deadLetterFilter, async ({ ops }, { parameters }) => {
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
      // Another operator may have retried some; they count as done.
      retried: progress.retried + count('retried'),
      refused: progress.refused + count('refused'),
      isDone: done === total,
    };
    yield { seq: ++seq, json: JSON.stringify(progress) };
  }
}
