import { answerSchema } from '@switchyard/operator-api';
import { A2AError } from '@switchyard/protocol';
import { partSchema } from '@switchyard/protocol/schemas';
import type { AnswerResult } from '@switchyard/store';
import { z } from 'zod';
import { taskNotFound } from '../operations/backend.ts';
import { operatorName } from './operators.ts';
import { noParameters } from './parameters.ts';
import { type AdminRoute, adminOrder, adminRoute, EventsAnswer } from './route.ts';

const answer = answerSchema.extend({ parts: z.array(partSchema).min(1) });

/** What an operator does to a task beside canceling it. */
export const taskActionRoutes: readonly AdminRoute[] = [
  adminRoute(
    ['get', '/admin/tasks/:id/events'],
    noParameters,
    async ({ ops, feeds }, { id, after }) => {
      const scope = await ops.tasks.scopeOf(id);
      if (!scope) throw taskNotFound(id.slice(0, 64));
      return new EventsAnswer((signal) => feeds.follow(scope, id, { as: 'operator', after, signal }));
    },
    // They are what a client and its agent wrote.
    { what: 'admin' },
  ),
  adminOrder('/admin/tasks/:id\\:answer', answer, async ({ ops }, { id, parameters, operator }) => {
    const { messageId, parts } = parameters;
    requireAccepted(id, await ops.tasks.answer(id, { messageId, parts, operator: operatorName(operator) }));
    return undefined;
  }),
];

/** @throws {A2AError} TaskNotFound, UnsupportedOperation, Conflict */
function requireAccepted(id: string, result: AnswerResult): void {
  if (result.verdict === 'accepted') return;
  if (result.verdict === 'missing') throw taskNotFound(id.slice(0, 64));
  const metadata = { taskId: id };
  if (result.verdict === 'not-waiting')
    throw new A2AError('UnsupportedOperation', 'The task does not wait for an answer', { metadata });
  throw new A2AError('Conflict', 'The answer cannot be accepted', { metadata: { why: result.why } });
}
