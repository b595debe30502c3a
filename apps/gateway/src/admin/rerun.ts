import type { AdminRoute } from './route.ts';

/** A task runs again. */
export const rerunRoutes: readonly AdminRoute[] = [];
