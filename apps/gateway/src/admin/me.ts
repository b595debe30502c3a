import type { AdminRoute } from './route.ts';

/** Who asks. */
export const meRoutes: readonly AdminRoute[] = [];
