import type { TaskPage } from '@switchyard/operator-api';
import { live } from './live.ts';
import { taskSearchParameters } from './parameters.ts';
import { type AdminRoute, adminRoute, readPage } from './route.ts';

/** Search of tasks, of all principals. */
export const taskListRoutes: readonly AdminRoute[] = [
  live(
    adminRoute(['get', '/admin/tasks'], taskSearchParameters, async ({ ops }, { parameters }): Promise<TaskPage> => {
      const { state: states, contents: hasText, ...rest } = parameters;
      const { tasks, ...page } = await readPage(() => ops.searchTasks({ ...rest, states, hasText }));
      return { tasks: [...tasks], ...page };
    }),
  ),
];
