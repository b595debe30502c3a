import { auditParameters } from './parameters.ts';
import { adminRoute, readPage } from './route.ts';

/** The audit trail, latest first. */
export const auditRoute = adminRoute(['get', '/admin/audit'], auditParameters, async ({ audit }, { parameters }) => {
  const { since, ...query } = parameters;
  const { items, nextPageToken } = await readPage(() => audit.list({ ...query, sinceMs: since }));
  return { events: items, nextPageToken };
});
