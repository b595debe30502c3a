import { memoryParameters, pageParameters } from './parameters.ts';
import { adminAction, adminRoute, found, listRoute, notFound, pageAnswer } from './route.ts';

/** Tenants as a whole, and what agents remember of them. A deletion is repeated until it is complete. */
export const tenantRoutes = [
  listRoute(['/admin/tenants', pageParameters], 'tenants', ({ ops }, query) => ops.listTenants(query)),
  adminAction(['delete', '/admin/tenants/:id'], async ({ ops }, { id }) =>
    found(await ops.tenants.delete(id), 'tenant', id),
  ),
  adminRoute(['get', '/admin/tenants/:id/memories'], pageParameters, ({ ops }, { id, parameters }) =>
    pageAnswer('memories', () => ops.listMemories(id, parameters)),
  ),
  adminRoute(['delete', '/admin/tenants/:id/memories'], memoryParameters, async ({ ops }, { id, parameters }) => {
    if (!(await ops.tenants.deleteMemory(id, parameters))) throw notFound('memory', parameters.contextId);
    return undefined;
  }),
];
