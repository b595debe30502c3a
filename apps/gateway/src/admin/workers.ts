import type { Ops } from '@switchyard/store';
import { listRoute } from './list-route.ts';
import { found, notFound } from './not-found.ts';
import { drainParameters } from './parameters.ts';
import { adminAction, adminRoute } from './route.ts';

/** Workers as they report themselves. One that drains takes no more work, and goes on being announced. */
export const workerRoutes = [
  listRoute('/admin/workers', 'workers', (ops, query) => ops.listWorkers(query)),
  adminRoute(['post', '/admin/workers/:id\\:drain'], drainParameters, async (ops, { id, parameters }) => {
    if (!(await ops.workers.drain(id, parameters))) throw notFound('worker', id);
    return workerNamed(ops, id);
  }),
  adminAction(['post', '/admin/workers/:id\\:undrain'], async (ops, id) => {
    if (!(await ops.workers.undrain(id))) throw notFound('worker', id);
    return workerNamed(ops, id);
  }),
];

async function workerNamed(ops: Ops, id: string): Promise<object> {
  const worker = (await ops.workers.list()).find((each) => each.id === id);
  return found(worker, 'worker', id);
}
