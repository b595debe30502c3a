import { A2AError } from '@switchyard/protocol';
import type { DeadLetter } from '@switchyard/store';
import { live } from './live.ts';
import { contentsParameters, deadLetterParameters } from './parameters.ts';
import { adminAction, adminRoute, found, listRoute, notFound } from './route.ts';

/** Messages and webhooks that were given up. */
export const deadLetterRoutes = [
  live(
    listRoute(['/admin/dead-letters', deadLetterParameters], 'deadLetters', async ({ ops }, query) => {
      const { pageSize, pageToken, since: sinceMs, ...filter } = query;
      const page = await ops.deadLetters.list({ pageSize, pageToken }, { ...filter, sinceMs });
      return { ...page, items: page.items.map(withoutContents) };
    }),
  ),
  adminRoute(['get', '/admin/dead-letters/:id'], contentsParameters, async ({ ops }, { id, parameters }) => {
    const letter = found(await ops.deadLetters.get(id), 'dead letter', id);
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
