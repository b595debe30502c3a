import type { AdminRoute } from './route.ts';

/** Figures over time. */
export const seriesRoutes: readonly AdminRoute[] = [];
