import type { Conversation } from '@switchyard/operator-api';
import type { Ops } from '@switchyard/store';
import { live } from './live.ts';
import { conversationParameters, noParameters } from './parameters.ts';
import { adminRoute, found, listRoute } from './route.ts';

/** Conversations of any principal. */
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
      // What agents said.
      { what: 'admin' },
    ),
  ),
];

async function conversationOf({ conversations }: Ops, id: string): Promise<Conversation | undefined> {
  const row = await conversations.read(id);
  if (!row) return undefined;
  const items = await conversations.events(id);
  // Events that came after the conversation was read are left out.
  const events = items.filter(({ seq }) => seq <= row.lastSeq).map(({ json }) => JSON.parse(json));
  const hasMore = (items.at(-1)?.seq ?? 0) < row.lastSeq;
  return { ...row, events, ...(hasMore && { hasMore }) };
}
