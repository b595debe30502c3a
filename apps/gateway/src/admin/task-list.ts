import type { AdminRoute } from './route.ts';

/** Search of tasks. */
export const taskListRoutes: readonly AdminRoute[] = [];
