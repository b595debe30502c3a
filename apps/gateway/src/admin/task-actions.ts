import type { AdminRoute } from './route.ts';

/** What an operator does to a task beside canceling it. */
export const taskActionRoutes: readonly AdminRoute[] = [];
