import type { TaskDetail, TaskPage } from '@switchyard/operator-api';
import { A2AError } from '@switchyard/protocol';
import type { Ops } from '@switchyard/store';
import { taskIsLive } from '../http/serve-deletion.ts';
import { taskNotFound } from '../operations/backend.ts';
import { live } from './live.ts';
import { taskParameters, taskSearchParameters } from './parameters.ts';
import { adminAction, adminRoute, readPage } from './route.ts';

/** Tasks of all principals: a search, and one by its id. */
export const taskRoutes = [
  live(
    adminRoute(['get', '/admin/tasks'], taskSearchParameters, async ({ ops }, { parameters }): Promise<TaskPage> => {
      const { state: states, contents: hasText, ...rest } = parameters;
      const { tasks, ...page } = await readPage(() => ops.searchTasks({ ...rest, states, hasText }));
      return { tasks: [...tasks], ...page };
    }),
  ),
  live(
    adminRoute(
      ['get', '/admin/tasks/:id'],
      taskParameters,
      async ({ ops, feeds }, { id, parameters }): Promise<TaskDetail> => {
        const found = await ops.tasks.detail(known(id), { hasTimeline: parameters.timeline });
        if (!found) throw taskNotFound(id);
        const { timeline, ...rest } = found;
        const subscribers = feeds.readersOf(id);
        const detail = timeline === undefined ? rest : { ...rest, timeline: { ...timeline, subscribers } };
        const task = parameters.contents ? await ops.tasks.contents(id) : undefined;
        return task === undefined ? detail : { ...detail, task: JSON.parse(task) };
      },
    ),
  ),
  adminAction(['post', '/admin/tasks/:id\\:cancel'], async ({ ops }, { id }) => {
    const verdict = await ops.tasks.cancel(known(id));
    if (verdict === 'missing') throw taskNotFound(id);
    if (verdict === 'terminal')
      throw new A2AError('TaskNotCancelable', 'The task has ended already', { metadata: { taskId: id } });
    return recordOf(ops, id);
  }),
  adminAction(['delete', '/admin/tasks/:id'], async ({ ops }, { id }) => {
    const verdict = await ops.tasks.delete(known(id));
    if (verdict === 'missing') throw taskNotFound(id);
    if (verdict === 'live') throw taskIsLive(id);
    return undefined;
  }),
];

async function recordOf(ops: Ops, id: string): Promise<object> {
  const record = await ops.tasks.record(known(id));
  if (!record) throw taskNotFound(id);
  return record;
}

/** Ids of tasks are UUIDs: any other text could name another key. @throws {A2AError} TaskNotFound */
function known(id: string): string {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) throw taskNotFound(id.slice(0, 64));
  return id;
}
