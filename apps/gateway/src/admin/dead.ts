import { A2AError } from '@switchyard/protocol';
import type { DeadWork } from '@switchyard/store';
import { contentsParameters } from './parameters.ts';
import { adminAction, adminRoute, found, listRoute, notFound } from './route.ts';

/** Dead letters: messages and webhooks that were given up. */
export const deadRoutes = [
  listRoute('/admin/dead', 'dead', async (ops, query) => {
    const page = await ops.dead.list(query);
    return { ...page, items: page.items.map(withoutContents) };
  }),
  adminRoute(['get', '/admin/dead/:id'], contentsParameters, async (ops, { id, parameters }) => {
    const work = found(await ops.dead.find(id), 'dead work', id);
    return parameters.contents ? work : withoutContents(work);
  }),
  adminAction(['post', '/admin/dead/:id\\:retry'], async (ops, id) => {
    const retrial = await ops.dead.retry(id);
    if (retrial.verdict === 'missing') throw notFound('dead work', id);
    if (retrial.verdict === 'refused')
      throw new A2AError('Conflict', 'The message cannot be accepted again', { metadata: { why: retrial.why } });
    return { taskId: retrial.taskId };
  }),
  adminAction(['delete', '/admin/dead/:id'], async (ops, id) => {
    if (!(await ops.dead.drop(id))) throw notFound('dead work', id);
    return undefined;
  }),
];

function withoutContents(work: DeadWork): object {
  if (work.kind === 'webhook') return work;
  const { message, ...rest } = work;
  return { ...rest, messageId: message.messageId };
}
