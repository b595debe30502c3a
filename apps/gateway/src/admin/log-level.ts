import type { AdminRoute } from './route.ts';

/** How much all processes log. */
export const logLevelRoutes: readonly AdminRoute[] = [];
