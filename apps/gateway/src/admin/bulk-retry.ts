import type { AdminRoute } from './route.ts';

/** Many dead letters are retried. */
export const bulkRetryRoutes: readonly AdminRoute[] = [];
