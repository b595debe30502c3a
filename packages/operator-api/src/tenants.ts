import { z } from 'zod';
import { count } from './page.ts';

/** An event of `GET /admin/tenants/:id/export`, with the progress so far. */
export const tenantExportSchema = z.object({
  total: count,
  done: count,
  /** JSON of an object for each task since the event before: `tenant`, `subject`, `agent`, `endedAt`, `task`. */
  lines: z.array(z.string()),
  /** `pageToken` of a request that goes on from here. */
  nextPageToken: z.string(),
  isDone: z.boolean(),
});

export type TenantExportProgress = z.infer<typeof tenantExportSchema>;
