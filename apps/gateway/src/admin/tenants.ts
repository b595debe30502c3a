import type { Conversation } from '@switchyard/operator-api';
import type { Ops } from '@switchyard/operators';
import { live } from './live.ts';
import {
  conversationParameters,
  exportParameters,
  memoryParameters,
  noParameters,
  pageParameters,
} from './parameters.ts';
import { progressAnswer } from './progress.ts';
import { adminAction, adminRoute, found, listRoute, notFound, pageAnswer } from './route.ts';
import { deleteTenant, exportTenant } from './whole-tenant.ts';

/** Tenants, and their agents' memories. Repeat a deletion until it is complete. */
export const tenantRoutes = [
  listRoute(['/admin/tenants', pageParameters], 'tenants', ({ ops }, query) => ops.listTenants(query)),
  adminAction(['delete', '/admin/tenants/:id'], async (_, { id, reached }) =>
    found(await deleteTenant(reached, id), 'tenant', id),
  ),
  adminRoute(
    ['get', '/admin/tenants/:id/export'],
    exportParameters,
    ({ deployment }, { id, parameters, reached }) =>
      progressAnswer(
        (signal) => exportTenant(reached, { ...parameters, tenant: id }, signal),
        reached.length === 1 ? deployment : undefined,
      ),
    // Texts of clients and agents.
    { what: 'admin' },
  ),
  adminRoute(['get', '/admin/tenants/:id/memories'], pageParameters, ({ ops }, { id, parameters }) =>
    pageAnswer('memories', () => ops.listMemories(id, parameters)),
  ),
  adminRoute(['delete', '/admin/tenants/:id/memories'], memoryParameters, async ({ ops }, { id, parameters }) => {
    if (!(await ops.tenants.deleteMemory(id, parameters))) throw notFound('memory', parameters.contextId);
    return undefined;
  }),
];

/** Conversations of all principals. */
export const conversationRoutes = [
  live(
    listRoute(['/admin/conversations', conversationParameters], 'conversations', ({ ops }, query) => {
      const { pageSize, pageToken, ...filter } = query;
      return ops.conversations.list({ pageSize, pageToken }, filter);
    }),
  ),
  live(
    adminRoute(
      ['get', '/admin/conversations/:id'],
      noParameters,
      async ({ ops }, { id }) => found(await conversationOf(ops, id), 'conversation', id),
      // Texts of agents.
      { what: 'admin' },
    ),
  ),
];

async function conversationOf({ conversations }: Ops, id: string): Promise<Conversation | undefined> {
  const row = await conversations.read(id);
  if (!row) return undefined;
  const items = await conversations.events(id);
  // Leaves out events that were added after the conversation was read.
  const events = items.filter(({ seq }) => seq <= row.lastSeq).map(({ json }) => JSON.parse(json));
  const hasMore = (items.at(-1)?.seq ?? 0) < row.lastSeq;
  return { ...row, events, ...(hasMore && { hasMore }) };
}
